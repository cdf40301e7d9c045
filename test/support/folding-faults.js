// Has what unfolds unfolded by Space and folded again by Enter, one after the other as these keys come. It runs in the page itself, before the first key.
;(() => {
  const summaries = [...document.querySelectorAll('summary')].filter((one) => one.checkVisibility({ visibilityProperty: true }))
  const faults = []
  const isOpen = () => summaries[at].parentElement.open
  let at = -1
  let before
  const goOn = () => {
    summaries[++at]?.focus()
    before = summaries[at] && isOpen()
  }
  const say = (key) => faults.push(`${key} does nothing at ${summaries[at].innerText}`)
  // What a key does by itself it does after those who listen: Space is over when Enter goes down, and Enter when it comes up.
  addEventListener('keydown', ({ key }) => key === 'Enter' && summaries[at] && isOpen() === before && say('Space'), true)
  addEventListener('keyup', ({ key }) => {
    if (key !== 'Enter' || !summaries[at]) return
    if (isOpen() !== before) say('Enter')
    goOn()
  })
  goOn()
  // Whoever did not come to the end has seen nothing of the rest.
  globalThis.foldingFaults = () => [...faults, ...summaries.slice(at, at + 1).map((one) => `the keyboard stays at ${one.innerText}`)]
  return summaries.length
})()
