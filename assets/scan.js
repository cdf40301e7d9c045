// Adds the camera and an offline queue to the scanner page. Without this script, the form handles one badge at a time.
import { LeadClient, LeadQueue } from 'lead-sdk/index.js'

const page = document.querySelector('[data-scanner]')
const form = page.querySelector('form')
const statusMessage = page.querySelector('[data-said]')
const waiting = page.querySelector('[data-waiting]')
const shownLead = page.querySelector('[data-lead]')
const blank = page.querySelector('#lead-blank')

const codes = () =>
  Object.fromEntries(['tenantCode', 'clientCode', 'eventCode', 'activationCode'].map((name) => [name, form.elements[name].value.trim()]))

// One queue per event, so that queued scans are never sent to another event after the codes change.
function queueOf({ tenantCode, clientCode, eventCode, activationCode }) {
  const key = ['lanyard-leads', tenantCode, clientCode, eventCode].join('/').toLowerCase()
  return new LeadQueue(new LeadClient({ baseUrl: location.origin, tenantCode, clientCode, eventCode, activationCode }), { key })
}

function showMessage(text, tone = '') {
  page.querySelector('[role="alert"]')?.remove()
  statusMessage.className = `notice scan-said ${tone}`
  statusMessage.textContent = text
}

let sound = null
const speaker = () => (sound ??= new AudioContext())
// Mobile browsers allow sound only after a user gesture.
const unlockSound = () => void speaker().resume()

function beep(pitch) {
  const audio = speaker()
  const tone = audio.createOscillator()
  const volume = audio.createGain()
  tone.frequency.value = pitch
  volume.gain.setValueAtTime(0.15, audio.currentTime)
  volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + 0.15)
  tone.connect(volume).connect(audio.destination)
  tone.start()
  tone.stop(audio.currentTime + 0.15)
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
  waiting.textContent = `${length === 1 ? '1 scan' : `${length} scans`} waiting to be sent.`
}

// The card always shows the latest scan only.
async function send(queue) {
  const { sent, stopped } = await queue.flush()
  for (const { badge, lead, error } of sent) {
    if (lead) {
      showLead(lead)
      showMessage(`${lead.fields.firstName} ${lead.fields.lastName}: lead saved.`, 'success')
    } else {
      shownLead.replaceChildren()
      showMessage(`${badge}: ${error.message}.`, 'danger')
    }
  }
  if (sent.length > 0) beep(sent.at(-1).lead ? 880 : 220)
  if (stopped) shownLead.replaceChildren()
  if (stopped?.status === 0) showMessage('No connection. The scan is saved and will be sent when you are online again.', 'warning')
  else if (stopped) {
    beep(220)
    showMessage(`${stopped.message}.`, 'danger')
  }
  showWaiting(queue)
}

function handleScan(badge) {
  const queue = queueOf(codes())
  queue.add(badge)
  showWaiting(queue)
  return send(queue)
}

const { badgeId } = form.elements

form.addEventListener('submit', (event) => {
  const missing = [...form.elements].filter((element) => element.name && element.type !== 'hidden' && element.value.trim() === '')
  // The server reports missing codes beside their fields.
  if (missing.some((element) => element !== badgeId)) return
  event.preventDefault()
  unlockSound()
  // Handheld scanners often send two line ends after a code. The second one submits an empty field and is ignored.
  if (missing.length === 0) void handleScan(badgeId.value)
  badgeId.value = ''
  badgeId.focus()
})

// Typing outside of any field or button goes to the badge field, so that a handheld scanner works without focusing it.
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

const MANUAL_HINT = 'Use a handheld scanner, or type the badge code and press Enter.'
const CAMERA_DENIED = 'Camera access is blocked. Allow the camera for this page in your browser settings, or type the badge code below.'
const CAMERA_NOT_FOUND = 'No camera was found. Type the badge code below.'
const NO_READER = 'The code reader could not be loaded. Try again when you are online, or type the badge code below.'
const NO_CAMERA = isSecureContext
  ? 'This browser cannot scan codes with a camera.'
  : 'The camera works only on pages with an https address.'

const FORMATS = ['qr_code', 'code_128', 'pdf417', 'data_matrix', 'aztec']

// Uses the browser's BarcodeDetector, or loads a reader if the browser has none.
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
      showMessage(error.name === 'NotAllowedError' ? CAMERA_DENIED : CAMERA_NOT_FOUND, 'warning')
    })
  if (!stream) return null
  const read = await codeReader().catch(() => {
    for (const track of stream.getTracks()) track.stop()
    showMessage(NO_READER, 'warning')
  })
  return read ? { stream, read } : null
}

async function watch({ stream, read }) {
  start.hidden = true
  // Placed above the messages, so that the camera view does not move between scans.
  statusMessage.before(camera)
  video.hidden = false
  video.srcObject = stream
  await video.play()
  let [last, lastAt] = ['', 0]
  for (;;) {
    await new Promise((next) => requestAnimationFrame(next))
    const code = await read(video).catch(() => undefined)
    // A badge that stays in front of the camera counts as one scan.
    if (!code || (code === last && Date.now() - lastAt < REPEAT_MS)) {
      if (code) lastAt = Date.now()
      continue
    }
    ;[last, lastAt] = [code, Date.now()]
    await handleScan(code)
  }
}

if (navigator.mediaDevices) {
  camera.hidden = false
  // The camera is the main way to scan, and the button of the form the other one.
  form.querySelector('[type="submit"]').classList.remove('primary')
  let opening = false
  start.addEventListener('click', async () => {
    if (opening) return
    opening = true
    unlockSound()
    const opened = await openCamera()
    opening = false
    if (opened) await watch(opened)
  })
} else {
  showMessage(`${NO_CAMERA} ${MANUAL_HINT}`)
  // Focuses the badge field, unless the user is already in another field.
  if (document.activeElement === document.body) badgeId.focus({ preventScroll: true })
}
