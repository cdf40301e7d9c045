// Progressive enhancement: every page works without this script.
document.documentElement.classList.add('scripted')

document.addEventListener('click', async (event) => {
  const button = event.target instanceof Element ? event.target.closest('[data-copy]') : null
  if (!button) return
  const source = document.getElementById(button.dataset.copy)
  await navigator.clipboard.writeText(source.textContent.trim())
  const before = button.textContent
  button.textContent = 'Copied'
  setTimeout(() => {
    button.textContent = before
  }, 1500)
})

document.addEventListener('click', ({ target }) => {
  if (target.closest?.('[data-print]')) print()
})

// Inserts a merge field at the cursor of the text field that was used last, else of the first one of the form.
let lastText = null
document.addEventListener('focusout', ({ target }) => {
  if (target.matches('textarea, input[type="text"]')) lastText = target
})
document.addEventListener('click', ({ target }) => {
  const inserting = target.closest?.('[data-insert]')
  if (!inserting) return
  const field = lastText?.form === inserting.form ? lastText : inserting.form.querySelector('textarea, input[type="text"]')
  field.focus()
  field.setRangeText(inserting.dataset.insert, field.selectionStart, field.selectionEnd, 'end')
  field.dispatchEvent(new Event('input', { bubbles: true }))
})

document.addEventListener('keydown', (event) => {
  const typing = event.target instanceof Element && event.target.matches('input, textarea, select')
  if (event.key !== '/' || typing || event.ctrlKey || event.metaKey) return
  const search = document.querySelector('main input[type="search"]') ?? document.querySelector('input[type="search"]')
  if (!search) return
  search.closest('details')?.setAttribute('open', '')
  event.preventDefault()
  search.focus()
})

// Scrolls the list of pages beside an article to the current one.
const pageList = document.querySelector('.docs-side')
const currentPage = pageList?.querySelector('[aria-current]')
if (currentPage) pageList.scrollTop = currentPage.offsetTop - pageList.clientHeight / 2

// Keeps a colour picker and its text field in sync.
document.addEventListener('input', ({ target }) => {
  const field = target.dataset.colourOf ? document.getElementById(target.dataset.colourOf) : null
  if (field) field.value = target.value
  const palette = document.querySelector(`[data-colour-of="${target.id}"]`)
  if (palette && /^#[0-9a-f]{6}$/i.test(target.value)) palette.value = target.value
})

// Moves the focus to what the visitor needs next: the wrong field or the result of a widget's own button, else the error summary.
const returned = location.hash.startsWith('#w-') ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null
const errorSummary = document.querySelector('[role="alert"][tabindex]')
const wrongField = returned?.querySelector('[aria-invalid="true"]')
if (wrongField) {
  // After the browser has scrolled to the fragment, because that moves the focus too.
  addEventListener('load', () => setTimeout(() => wrongField.focus({ preventScroll: true })))
} else if (errorSummary) {
  errorSummary.focus()
} else if (returned) {
  returned.tabIndex = -1
  returned.focus({ preventScroll: true })
}

// When embedded in another website, the page posts its height. The server's content policy decides which sites may embed it.
if (window.parent !== window) {
  const postHeight = () => window.parent.postMessage({ lanyardHeight: document.documentElement.scrollHeight }, '*')
  new ResizeObserver(postHeight).observe(document.body)
  postHeight()
}

// Buttons beside a quantity.
const markLimits = (input) => {
  for (const button of input.parentElement.querySelectorAll('[data-step]'))
    button.ariaDisabled = String(button.dataset.step === '1' ? +input.value >= +input.max : +input.value <= +input.min)
}
document.querySelectorAll('.stepper input').forEach(markLimits)
document.addEventListener('click', ({ target }) => {
  const button = target.closest?.('[data-step]')
  if (!button || button.ariaDisabled === 'true') return
  const input = button.parentElement.querySelector('input')
  if (button.dataset.step === '1') input.stepUp()
  else input.stepDown()
  markLimits(input)
  input.dispatchEvent(new Event('change', { bubbles: true }))
})

// Updates the total and dependent questions of a registration page while the visitor chooses, without loading the page again. Sends the same
// form as the "Update" buttons, which are hidden with scripts.
const pageForm = document.querySelector('form#page')
const findOrders = (page = document) => [...page.querySelectorAll('.order-lines')]

/** The form as sent in the background. Files are sent with the next button. */
const encodeForm = () => {
  const fields = [...new FormData(pageForm)].filter(([, value]) => typeof value === 'string')
  return new URLSearchParams([...fields, ['do', 'total']]).toString()
}

/** What a form asks and offers, without the answers. */
const describeFields = (form) =>
  [...form.querySelectorAll('[id^="w-"], input, select, textarea')]
    .map((one) => `${one.id} ${one.name} ${/radio|checkbox/.test(one.type) ? one.value : ''} ${one.disabled}`)
    .join()

/** Replaces only the rows that differ, because screen readers announce each replaced row. */
function showRows(list, wanted) {
  let at = list.firstElementChild
  for (const row of Array.from(wanted.children)) {
    let same = at
    while (same && !same.isEqualNode(row)) same = same.nextElementSibling
    if (!same) {
      list.insertBefore(row, at)
      continue
    }
    while (at !== same) {
      const next = at.nextElementSibling
      at.remove()
      at = next
    }
    at = same.nextElementSibling
  }
  while (at) {
    const next = at.nextElementSibling
    at.remove()
    at = next
  }
}

function showOrder(page) {
  const orders = findOrders(page)
  findOrders().forEach((order, at) => {
    const [list, wanted] = [order.querySelector('.lines'), orders[at]?.querySelector('.lines')]
    if (list && wanted) showRows(list, wanted)
    else if (orders[at]) order.replaceChildren(...orders[at].childNodes)
  })
  const [sum, newSum] = [document.querySelector('.bar .sum .money'), page.querySelector('.bar .sum .money')]
  if (sum && newSum) sum.textContent = newSum.textContent
}

/** Shows other questions or choices. The focused field and unfolded parts stay as they are. */
function showFields(form) {
  const keyOf = (details) => `${details.closest('[id^="w-"]')?.id} ${details.querySelector('summary').textContent}`
  const unfolded = new Set([...pageForm.querySelectorAll('details[open]')].map(keyOf))
  const { id, name, value, type } = document.activeElement ?? {}
  pageForm.replaceChildren(...form.childNodes)
  for (const details of pageForm.querySelectorAll('details')) if (unfolded.has(keyOf(details))) details.open = true
  pageForm.querySelectorAll('.stepper input').forEach(markLimits)
  const isFocused = (field) => (id ? field.id === id : field.name === name && (type !== 'radio' || field.value === value))
  if (id || name) [...pageForm.elements].find(isFocused)?.focus({ preventScroll: true })
}

let isUpdating = false
async function updatePage() {
  if (isUpdating) return
  isUpdating = true
  try {
    let body, page
    do {
      body = encodeForm()
      const response = await fetch(pageForm.action, { method: 'POST', body: new URLSearchParams(body) })
      if (new URL(response.url).pathname !== new URL(pageForm.action).pathname) return location.assign(response.url)
      page = new DOMParser().parseFromString(await response.text(), 'text/html')
      // The visitor may have chosen more in the meantime.
    } while (body !== encodeForm())
    const form = page.querySelector('form#page')
    if (!form) throw new Error('The response is not the form')
    showOrder(page)
    if (describeFields(form) !== describeFields(pageForm)) showFields(form)
  } catch {
    // Offline, for example: the buttons work as without scripts.
    document.documentElement.classList.remove('scripted')
  } finally {
    isUpdating = false
  }
}

const controlsOthers = () => pageForm.querySelector('.no-script button[value="update"]') !== null
const updateAfter = ({ target }) => {
  if (!pageForm || target.form !== pageForm) return
  if (target.matches('.stepper input')) markLimits(target)
  const isChoice = target.matches('input:is([type="radio"], [type="checkbox"], [type="number"], .quantity), select')
  if (isChoice && (findOrders().length > 0 || (controlsOthers() && target.name.startsWith('@')))) void updatePage()
}
document.addEventListener('change', updateAfter)
document.addEventListener('input', (event) => {
  if (event.target.type === 'number') updateAfter(event)
})

// Updates the text of the hold notice when five minutes and one minute are left.
const holdNotice = document.querySelector('[data-until]')
if (holdNotice) {
  const left = new Date(holdNotice.dataset.until) - Date.now()
  const showText = (text) => () => (holdNotice.querySelector('span').textContent = text)
  if (left > 300000) setTimeout(showText(holdNotice.dataset.minutes), left - 300000)
  if (left > 60000) setTimeout(showText(holdNotice.dataset.minute), left - 60000)
}

// Draws a signature with a pen, a finger or the mouse, and keeps it as a picture in the form.
for (const box of document.querySelectorAll('[data-signature]')) {
  const [canvas, field, clear] = [box.querySelector('canvas'), box.querySelector('input'), box.querySelector('button')]
  const pen = canvas.getContext('2d')
  let isDrawing = false
  const at = ({ offsetX, offsetY }) => [(offsetX * canvas.width) / canvas.clientWidth, (offsetY * canvas.height) / canvas.clientHeight]
  canvas.addEventListener('pointerdown', (event) => {
    isDrawing = true
    canvas.setPointerCapture(event.pointerId)
    pen.lineWidth = 2.5
    pen.lineCap = 'round'
    pen.beginPath()
    pen.moveTo(...at(event))
  })
  canvas.addEventListener('pointermove', (event) => {
    if (!isDrawing) return
    pen.lineTo(...at(event))
    pen.stroke()
  })
  canvas.addEventListener('pointerup', () => {
    isDrawing = false
    field.value = canvas.toDataURL('image/png')
  })
  clear.addEventListener('click', () => {
    pen.clearRect(0, 0, canvas.width, canvas.height)
    field.value = ''
  })
}
