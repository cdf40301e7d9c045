// The scanner page with a camera and a memory. Without this the form does the same, one badge at a time.
import { LeadClient, LeadQueue } from 'lead-sdk/index.js'

const page = document.querySelector('[data-scanner]')
const form = page.querySelector('form')
const said = page.querySelector('[data-said]')
const waiting = page.querySelector('[data-waiting]')
const shownLead = page.querySelector('[data-lead]')
const blank = page.querySelector('#lead-blank')

const codes = () =>
  Object.fromEntries(['tenantCode', 'clientCode', 'eventCode', 'activationCode'].map((name) => [name, form.elements[name].value.trim()]))

// Scans of one event never go to another, whichever codes are typed meanwhile.
function queueOf({ tenantCode, clientCode, eventCode, activationCode }) {
  const key = ['lanyard-leads', tenantCode, clientCode, eventCode].join('/').toLowerCase()
  return new LeadQueue(new LeadClient({ baseUrl: location.origin, tenantCode, clientCode, eventCode, activationCode }), { key })
}

function say(text, tone = '') {
  page.querySelector('[role="alert"]')?.remove()
  said.className = `notice scan-said ${tone}`
  said.textContent = text
}

let sound = null
const speaker = () => (sound ??= new AudioContext())
// Phones let a page be heard only when it asks to while somebody presses something.
const mayBeHeard = () => void speaker().resume()

function beep(pitch) {
  const through = speaker()
  const tone = through.createOscillator()
  const volume = through.createGain()
  tone.frequency.value = pitch
  volume.gain.setValueAtTime(0.15, through.currentTime)
  volume.gain.exponentialRampToValueAtTime(0.001, through.currentTime + 0.15)
  tone.connect(volume).connect(through.destination)
  tone.start()
  tone.stop(through.currentTime + 0.15)
}

function fact(label, value) {
  const [term, description] = [document.createElement('dt'), document.createElement('dd')]
  term.textContent = label
  description.textContent = value
  return [term, description]
}

function showLead(lead) {
  const card = blank.content.cloneNode(true)
  card.querySelector('h2').textContent = `${lead.fields.firstName} ${lead.fields.lastName}`
  const captures = card.querySelector('[data-times]')
  captures.textContent = lead.captures === 1 ? captures.dataset.once : captures.dataset.times.replace('NaN', lead.captures)
  const photo = card.querySelector('[data-photo]')
  if (lead.photoUrl) photo.src = lead.photoUrl
  else photo.remove()
  for (const mark of card.querySelectorAll('[data-only]')) if (!lead[mark.dataset.only]) mark.remove()
  for (const field of card.querySelectorAll('[data-field]')) {
    const value = lead.fields[field.dataset.field]
    field.textContent = value ?? ''
    if (value) continue
    card.querySelector(`[data-name="${field.dataset.field}"]`).remove()
    field.remove()
  }
  card.querySelector('dl').append(...lead.customFields.flatMap(({ label, value }) => fact(label, value)))
  shownLead.replaceChildren(card)
}

function showWaiting(queue) {
  const { length } = queue.pending
  waiting.hidden = length === 0
  waiting.textContent = `${length === 1 ? '1 scan waits' : `${length} scans wait`} to be sent.`
}

// A card stands there only as long as nobody else was scanned after.
async function send(queue) {
  const { sent, stopped } = await queue.flush()
  for (const { badge, lead, error } of sent) {
    if (lead) {
      showLead(lead)
      say(`${lead.fields.firstName} ${lead.fields.lastName}: noted.`, 'success')
    } else {
      shownLead.replaceChildren()
      say(`${badge}: ${error.message}.`, 'danger')
    }
  }
  if (sent.length > 0) beep(sent.at(-1).lead ? 880 : 220)
  if (stopped) shownLead.replaceChildren()
  if (stopped?.status === 0) say('No connection. The scan is kept and will be sent when there is one.', 'warning')
  else if (stopped) {
    beep(220)
    say(`${stopped.message}.`, 'danger')
  }
  showWaiting(queue)
}

function scanned(badge) {
  const queue = queueOf(codes())
  queue.add(badge)
  showWaiting(queue)
  return send(queue)
}

const { badgeId } = form.elements

form.addEventListener('submit', (event) => {
  const missing = [...form.elements].filter((element) => element.name && element.type !== 'hidden' && element.value.trim() === '')
  // What is missing is told by the server, in words beside the field.
  if (missing.some((element) => element !== badgeId)) return
  event.preventDefault()
  mayBeHeard()
  // Scanners that type often end a code with two line ends; the second is no scan.
  if (missing.length === 0) void scanned(badgeId.value)
  badgeId.value = ''
  badgeId.focus()
})

// A scanner that types is heard wherever somebody clicked last, unless they are at another field or button.
document.addEventListener('keydown', (event) => {
  const typed = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey
  if (typed && !document.activeElement?.closest('input, textarea, select, button, a, summary')) badgeId.focus()
})

const resend = () => {
  const queue = queueOf(codes())
  showWaiting(queue)
  if (queue.pending.length > 0) void send(queue)
}
addEventListener('online', resend)
resend()

const camera = page.querySelector('[data-camera]')
const video = camera.querySelector('video')
const start = camera.querySelector('[data-start]')
const REPEAT_MS = 3000

const BY_HAND = 'Use a scanner that types, or type what the badge says and press Enter.'
const DENIED = 'The camera may not be used here. Allow it in the settings of the browser for this page, or type the badge below.'
const ABSENT = 'No camera was found. Type the badge below.'
const NO_READER = 'What reads the codes could not be loaded. Try again when there is a connection, or type the badge below.'
const NO_CAMERA = isSecureContext
  ? 'This browser cannot read codes with a camera.'
  : 'The camera can be used only where the address begins with https.'

const FORMATS = ['qr_code', 'code_128', 'pdf417', 'data_matrix', 'aztec']

// What tells the code in a picture: the browser itself where it can, else a reader that is fetched for it.
async function codeReader() {
  const { BarcodeDetector } = globalThis
  const formats = BarcodeDetector ? await BarcodeDetector.getSupportedFormats() : []
  if (!formats.includes('qr_code')) return (await import('read-codes.js')).codeReader()
  const detector = new BarcodeDetector({ formats: FORMATS.filter((format) => formats.includes(format)) })
  return async (picture) => (await detector.detect(picture))[0]?.rawValue
}

async function openCamera() {
  const stream = await navigator.mediaDevices
    .getUserMedia({ video: { facingMode: 'environment', width: { ideal: 1280 } } })
    .catch((error) => {
      say(error.name === 'NotAllowedError' ? DENIED : ABSENT, 'warning')
    })
  if (!stream) return null
  const read = await codeReader().catch(() => {
    for (const track of stream.getTracks()) track.stop()
    say(NO_READER, 'warning')
  })
  return read ? { stream, read } : null
}

async function watch({ stream, read }) {
  start.hidden = true
  // Above what is told of a scan, so that it stays in sight from one badge to the next.
  said.before(camera)
  video.hidden = false
  video.srcObject = stream
  await video.play()
  let [last, lastAt] = ['', 0]
  for (;;) {
    await new Promise((next) => requestAnimationFrame(next))
    const code = await read(video).catch(() => undefined)
    // A badge stays before the camera for a while; that is one scan.
    if (!code || (code === last && Date.now() - lastAt < REPEAT_MS)) {
      if (code) lastAt = Date.now()
      continue
    }
    ;[last, lastAt] = [code, Date.now()]
    await scanned(code)
  }
}

if (navigator.mediaDevices) {
  camera.hidden = false
  let opening = false
  start.addEventListener('click', async () => {
    if (opening) return
    opening = true
    mayBeHeard()
    const opened = await openCamera()
    opening = false
    if (opened) await watch(opened)
  })
} else {
  say(`${NO_CAMERA} ${BY_HAND}`)
  // Ready for the first badge. Whoever is at another field already stays there.
  if (document.activeElement === document.body) badgeId.focus({ preventScroll: true })
}
