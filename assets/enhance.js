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
