// Opens each details element with Space and closes it with Enter, one element per key press. Runs in the page before the first key.
;(() => {
  const summaries = [...document.querySelectorAll('summary')].filter((one) => one.checkVisibility({ visibilityProperty: true }))
  const faults = []
  const isOpen = () => summaries[at].parentElement.open
  let at = -1
  let before
  const focusNext = () => {
    summaries[++at]?.focus()
    before = summaries[at] && isOpen()
  }
  const report = (key) => faults.push(`${key} does nothing at ${summaries[at].innerText}`)
  // The default action of a key follows its listeners: Space has taken effect at the keydown of Enter, and Enter at its keyup.
  addEventListener('keydown', ({ key }) => key === 'Enter' && summaries[at] && isOpen() === before && report('Space'), true)
  addEventListener('keyup', ({ key }) => {
    if (key !== 'Enter' || !summaries[at]) return
    if (isOpen() !== before) report('Enter')
    focusNext()
  })
  focusNext()
  // A details element at which the check stopped is reported, because the following ones were not checked.
  globalThis.disclosureProblems = () => [...faults, ...summaries.slice(at, at + 1).map((one) => `the keyboard stays at ${one.innerText}`)]
  return summaries.length
})()
