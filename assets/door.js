// Adds the camera, hand scanners and an offline queue to the door page. Without this script, the form checks one badge at a time.
const page = document.querySelector('[data-door]')
const form = page.querySelector('[data-form]')
const field = form.elements.badge
const screen = page.querySelector('[data-screen]')
const list = page.querySelector('[data-scans]')
const overrideBox = page.querySelector('[data-override]')
const overridable = page.dataset.overridable.split(' ')
const onlineMark = page.querySelector('[data-online]')
const words = JSON.parse(page.dataset.words)
const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name])

const QUEUE_KEY = `lanyard-door/${page.dataset.door}`
const MAX_SENT = 100
const MAX_LISTED = 8
const RETRY_MS = 10_000

const readQueue = () => JSON.parse(localStorage.getItem(QUEUE_KEY) ?? '[]')
const writeQueue = (queue) => localStorage.setItem(QUEUE_KEY, JSON.stringify(queue))

async function post(path, scans) {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ scans, sentAt: new Date().toISOString() }),
    signal: AbortSignal.timeout(8000),
  })
  const answer = await response.json().catch(() => ({}))
  if (response.ok) return answer
  throw Object.assign(new Error(answer.message ?? words.notAccepted), { refused: response.status < 500 })
}

function show(kind, { title, name = '', more = '', hint }) {
  const block = page.querySelector(`template[data-verdict="${kind}"]`).content.cloneNode(true)
  if (title) block.querySelector('h1').textContent = title
  block.querySelector('[data-name]').textContent = name
  block.querySelector('[data-more]').textContent = more
  const line = block.querySelector('[data-hint]')
  line.hidden = hint === undefined
  line.textContent = hint ?? ''
  screen.replaceChildren(block)
}

function addToList(kind, text, detail) {
  const item = document.createElement('li')
  const [mark, line, small, time] = ['span', 'span', 'small', 'time'].map((tag) => document.createElement(tag))
  mark.className = kind
  mark.textContent = { yes: '✓', again: '↺', no: '✕', wait: '◷' }[kind]
  mark.setAttribute('aria-hidden', 'true')
  line.textContent = text
  small.textContent = detail
  line.append(small)
  time.textContent = new Date().toLocaleTimeString(document.documentElement.lang)
  item.append(mark, line, time)
  list.prepend(item)
  while (list.children.length > MAX_LISTED) list.lastElementChild.remove()
}

const endOf = (badge) => badge.split('|')[0].slice(-4)
const ending = (badge) => fill(words.badge, { ending: endOf(badge) })

function showConnection() {
  const { length } = readQueue()
  onlineMark.classList.toggle('off', !online || length > 0)
  onlineMark.textContent = online && length === 0 ? words.online : `${online ? words.sending : words.offline} · ${length}`
  page.querySelector('[data-waiting]').hidden = length === 0
  page.querySelector('[data-list-title]').textContent = length === 0 ? words.last : fill(words.waiting, { count: length })
}

function showInside({ inside, capacity }) {
  const [number, label] = [document.createElement('b'), document.createElement('span')]
  number.textContent = inside
  label.textContent = ` ${capacity === undefined ? words.inside : fill(words.insideOf, { capacity })}`
  label.className = 'muted'
  page.querySelector('[data-inside]').replaceChildren(number, label)
}

// The sentence of the server, in the language of the page.
function describe({ result, reason, message, warnings }) {
  const why = reason ?? (warnings.includes('unpaid') ? 'unpaid' : undefined)
  const text = words[why] ?? message
  if (result !== 'accepted') return text
  return why === undefined ? words.accepted : `${reason ? words.overridden : words.accepted} ${text}`
}

function showAnswer(scan, { result, reason, message: given, participant, warnings, ...counts }) {
  const message = describe({ result, reason, message: given, warnings })
  const kind = result === 'accepted' ? 'yes' : result === 'duplicate' || reason === 'already_in' ? 'again' : 'no'
  show(kind, {
    title: kind === 'yes' && scan.direction === 'out' ? words.checkedOut : undefined,
    name: participant?.name,
    more: kind === 'yes' ? participant?.company : message,
    hint: kind === 'yes' && (reason || warnings.length > 0) ? message : undefined,
  })
  showInside(counts)
  addToList(
    kind,
    participant?.name ?? ending(scan.badge),
    kind === 'yes' ? (scan.direction === 'out' ? words.checkedOut : words.letIn) : message,
  )
  offerOverride(scan, result === 'refused' && overridable.includes(reason))
}

let refusedScan = null
function offerOverride(scan, isOffered) {
  overrideBox.hidden = !isOffered
  overrideBox.open = false
  refusedScan = isOffered ? scan : null
}

const fromBase64 = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.codePointAt(0))

// True or false if the badge is signed, null if this browser or the badge has no signature.
async function isGenuine(badge) {
  const [id, code, signature] = badge.trim().split('|')
  if (!page.dataset.key || !signature || !globalThis.crypto?.subtle) return null
  try {
    const key = await crypto.subtle.importKey('raw', fromBase64(page.dataset.key), { name: 'Ed25519' }, false, ['verify'])
    if (code !== page.dataset.event) return false
    return await crypto.subtle.verify('Ed25519', key, fromBase64(signature), new TextEncoder().encode(`${id.toLowerCase()}|${code}`))
  } catch {
    return null
  }
}

async function decideOffline(scan) {
  const genuine = await isGenuine(scan.badge)
  writeQueue([...readQueue(), { ...scan, decidedOffline: genuine === false ? 'refused' : 'accepted' }])
  if (genuine === false) {
    show('no', { name: ending(scan.badge), more: words.otherEvent })
    addToList('no', ending(scan.badge), words.refusedWaiting)
  } else {
    show('offline', {
      title: scan.direction === 'out' ? words.checkedOut : undefined,
      more: fill(genuine ? words.genuine : words.unverified, { ending: endOf(scan.badge) }),
      hint: words.notChecked,
    })
    addToList('wait', ending(scan.badge), words.letInWaiting)
  }
  offerOverride(scan, false)
}

let online = navigator.onLine

async function handleScan(badge, override) {
  const scan = {
    badge,
    direction: form.elements.direction.value,
    ...(form.elements.gateCode?.value ? { gateCode: form.elements.gateCode.value } : {}),
    nonce: crypto.randomUUID(),
    at: new Date().toISOString(),
    ...(override ? { override } : {}),
  }
  if (online && readQueue().length > 0) await sync()
  try {
    if (!online) throw new TypeError('offline')
    const { results } = await post('/door/scans', [scan])
    showAnswer(scan, results[0])
  } catch (error) {
    // The server may have stored the scan although its answer was lost. It is sent again with the same nonce, which stores it once.
    if (error.refused) {
      show('no', { name: ending(badge), more: error.message })
      addToList('no', ending(badge), error.message)
    } else {
      online = false
      await decideOffline(scan)
    }
  }
  showConnection()
}

// One scan after the other, so that the queue keeps their order.
let last = Promise.resolve()
const enqueue = (work) => (last = last.then(work, work))

let syncing = false
async function sync() {
  if (syncing) return
  syncing = true
  try {
    for (let queue = readQueue(); queue.length > 0; queue = readQueue()) {
      const part = queue.slice(0, MAX_SENT)
      const { conflicts, unmatched, invalid } = await post(
        '/door/sync',
        part.map(({ override: _override, ...scan }) => scan),
      )
      online = true
      const sent = new Set(part.map(({ nonce }) => nonce))
      writeQueue(readQueue().filter(({ nonce }) => !sent.has(nonce)))
      showSynced(part, [
        ...conflicts,
        ...unmatched.map(({ row }) => ({ row, reason: 'unknown_badge' })),
        ...invalid.map(({ row, message }) => ({ row, reason: message })),
      ])
    }
  } catch (error) {
    online = error.refused === true
    if (error.refused) addToList('no', words.notSent, error.message)
  } finally {
    syncing = false
    showConnection()
  }
}

function showSynced(part, problems) {
  list.replaceChildren()
  for (const { row, reason } of problems)
    addToList('again', ending(part[row - 1].badge), fill(words.wasLetIn, { reason: words[reason] ?? reason }))
  addToList(
    'yes',
    fill(words.sent, { count: part.length }),
    problems.length === 0 ? words.backOnline : fill(words.toCheck, { count: problems.length }),
  )
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  const badge = field.value.trim()
  field.value = ''
  field.focus()
  // Hand scanners often send two line ends after a code. The second one submits an empty field and is ignored.
  if (badge !== '') void enqueue(() => handleScan(badge))
})

overrideBox.querySelector('form').addEventListener('submit', (event) => {
  if (!refusedScan) return
  event.preventDefault()
  const [scan, reason] = [refusedScan, new FormData(event.target).get('reason')]
  void enqueue(() => handleScan(scan.badge, { reason }))
})

// Typing outside of any field goes to the badge field, so that a hand scanner works without focusing it.
document.addEventListener('keydown', (event) => {
  const typed = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey
  if (typed && !document.activeElement?.closest('input[type="text"], select, textarea')) field.focus()
})

addEventListener('online', () => {
  online = true
  void enqueue(sync)
})
addEventListener('offline', () => {
  online = false
  showConnection()
})
setInterval(() => {
  if (readQueue().length > 0) void enqueue(sync)
}, RETRY_MS)
if (readQueue().length > 0 && online) void enqueue(sync)
showConnection()
field.focus()

// The worker serves the page and its files while there is no connection.
if ('serviceWorker' in navigator) void navigator.serviceWorker.register('/door/worker.js', { scope: '/door' })

const camera = page.querySelector('[data-camera]')
const video = camera.querySelector('video')
const start = camera.querySelector('[data-start]')
const REPEAT_MS = 3000
const FORMATS = ['qr_code', 'code_128', 'pdf417', 'data_matrix', 'aztec']

// Uses the browser's BarcodeDetector, or loads a reader if the browser has none.
async function codeReader() {
  const { BarcodeDetector } = globalThis
  const formats = BarcodeDetector ? await BarcodeDetector.getSupportedFormats() : []
  if (!formats.includes('qr_code')) return (await import('read-codes.js')).codeReader()
  const detector = new BarcodeDetector({ formats: FORMATS.filter((format) => formats.includes(format)) })
  return async (picture) => (await detector.detect(picture))[0]?.rawValue
}

async function watch(stream, read) {
  start.hidden = true
  video.hidden = false
  video.srcObject = stream
  await video.play()
  let [seen, seenAt] = ['', 0]
  for (;;) {
    await new Promise((next) => requestAnimationFrame(next))
    const code = await read(video).catch(() => undefined)
    // A badge that stays in front of the camera counts as one scan.
    const isNew = code && (code !== seen || Date.now() - seenAt > REPEAT_MS)
    if (code) [seen, seenAt] = [code, Date.now()]
    if (isNew) await enqueue(() => handleScan(code))
  }
}

if (navigator.mediaDevices) {
  camera.hidden = false
  start.addEventListener('click', async () => {
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment', width: { ideal: 1280 } } })
      await watch(stream, await codeReader())
    } catch {
      start.textContent = words.cameraBlocked
    }
  })
}
