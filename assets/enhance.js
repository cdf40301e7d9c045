// Saves a round trip or a selection here and there. Every page does its work without it.
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

document.addEventListener('keydown', (event) => {
  const typing = event.target instanceof Element && event.target.matches('input, textarea, select')
  if (event.key !== '/' || typing || event.ctrlKey || event.metaKey) return
  const search = document.querySelector('input[type="search"]')
  if (!search) return
  event.preventDefault()
  search.focus()
})

// A palette writes into its field; what is typed there moves the palette.
document.addEventListener('input', ({ target }) => {
  const field = target.dataset.colourOf ? document.getElementById(target.dataset.colourOf) : null
  if (field) field.value = target.value
  const palette = document.querySelector(`[data-colour-of="${target.id}"]`)
  if (palette && /^#[0-9a-f]{6}$/i.test(target.value)) palette.value = target.value
})

// The summary of errors is what a person who cannot see the page needs first.
document.querySelector('[role="alert"][tabindex]')?.focus()

// In a frame of the organizer's website the page says how high it is, and nothing else. Who may frame it is decided by the server.
if (window.parent !== window) {
  const tell = () => window.parent.postMessage({ lanyardHeight: document.documentElement.scrollHeight }, '*')
  new ResizeObserver(tell).observe(document.body)
  tell()
}

// Questions that open others: the page is asked again as soon as one is answered, and the place is kept.
document.addEventListener('change', ({ target }) => {
  const form = target.closest?.('form#page')
  const update = form?.querySelector('.no-script button[value="update"]')
  if (update && target.matches('input[type="radio"], input[type="checkbox"], select') && target.name.startsWith('@'))
    form.requestSubmit(update)
})

// What is held is counted down in words, at five minutes and at one.
const held = document.querySelector('[data-until]')
if (held) {
  const left = new Date(held.dataset.until) - Date.now()
  const say = (words) => () => (held.querySelector('span').textContent = words)
  if (left > 300000) setTimeout(say(held.dataset.minutes), left - 300000)
  if (left > 60000) setTimeout(say(held.dataset.minute), left - 60000)
}
