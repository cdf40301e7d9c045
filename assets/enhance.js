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

document.addEventListener('keydown', (event) => {
  const typing = event.target instanceof Element && event.target.matches('input, textarea, select')
  if (event.key !== '/' || typing || event.ctrlKey || event.metaKey) return
  const search = document.querySelector('input[type="search"]')
  if (!search) return
  event.preventDefault()
  search.focus()
})

// Keeps a colour picker and its text field in sync.
document.addEventListener('input', ({ target }) => {
  const field = target.dataset.colourOf ? document.getElementById(target.dataset.colourOf) : null
  if (field) field.value = target.value
  const palette = document.querySelector(`[data-colour-of="${target.id}"]`)
  if (palette && /^#[0-9a-f]{6}$/i.test(target.value)) palette.value = target.value
})

// Moves the focus to the error summary, so that screen readers announce it first.
document.querySelector('[role="alert"][tabindex]')?.focus()

// When embedded in another website, the page posts its height. The server's content policy decides which sites may embed it.
if (window.parent !== window) {
  const postHeight = () => window.parent.postMessage({ lanyardHeight: document.documentElement.scrollHeight }, '*')
  new ResizeObserver(postHeight).observe(document.body)
  postHeight()
}

// Reloads the page after answering a question that controls the visibility of others.
document.addEventListener('change', ({ target }) => {
  const form = target.closest?.('form#page')
  const update = form?.querySelector('.no-script button[value="update"]')
  if (update && target.matches('input[type="radio"], input[type="checkbox"], select') && target.name.startsWith('@'))
    form.requestSubmit(update)
})

// Updates the text of the hold notice when five minutes and one minute are left.
const holdNotice = document.querySelector('[data-until]')
if (holdNotice) {
  const left = new Date(holdNotice.dataset.until) - Date.now()
  const showText = (text) => () => (holdNotice.querySelector('span').textContent = text)
  if (left > 300000) setTimeout(showText(holdNotice.dataset.minutes), left - 300000)
  if (left > 60000) setTimeout(showText(holdNotice.dataset.minute), left - 60000)
}
