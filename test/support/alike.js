// Of texts that look alike axe reads the colours of the first few alone: their contrast is the same, and reading it takes longer than all else
// that axe does. It runs in the page itself, once axe is there. `axe.readColoursAnew(most)` begins a reading of at most so many of each look.
;(() => {
  const rule = axe._audit.rules.find(({ id }) => id === 'color-contrast')
  const canBeRead = rule.matches
  let [looks, grounds, read, most] = []
  axe.readColoursAnew = (figure) => {
    looks = new Map()
    grounds = new Map()
    read = []
    most = figure
  }
  const numberOf = (look) => {
    if (!looks.has(look)) looks.set(look, looks.size)
    return looks.get(look)
  }
  /** All that lies behind an element, down to the page itself, as a number. */
  const groundOf = (element) => {
    if (!element) return 0
    if (!grounds.has(element)) {
      const { backgroundColor, backgroundImage, opacity, position, zIndex, filter, mixBlendMode } = getComputedStyle(element)
      const own = [backgroundColor, backgroundImage, opacity, position, zIndex, filter, mixBlendMode]
      grounds.set(element, numberOf([...own, groundOf(element.parentElement)].join(' ')))
    }
    return grounds.get(element)
  }
  const lookOf = (element) => {
    const { color, fontSize, fontWeight, textShadow } = getComputedStyle(element)
    return numberOf([element.localName, color, fontSize, fontWeight, textShadow, groundOf(element)].join(' '))
  }
  const hasWords = (element) =>
    element.matches('input, select, textarea') ||
    [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim())
  rule.matches = (element, ...more) => {
    if (!hasWords(element)) return false
    const look = lookOf(element)
    const before = read[look] ?? 0
    if (before >= most || !canBeRead.call(rule, element, ...more)) return false
    read[look] = before + 1
    return true
  }
})()
