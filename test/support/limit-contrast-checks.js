// Limits axe's contrast rule to the first few texts of each appearance, because their contrast is the same and the rule takes longer than all
// others. Runs in the page after axe. `axe.resetContrastChecks(max)` starts a new check of at most `max` texts per appearance.
;(() => {
  const rule = axe._audit.rules.find(({ id }) => id === 'color-contrast')
  const canBeRead = rule.matches
  let [looks, grounds, read, most] = []
  axe.resetContrastChecks = (max) => {
    looks = new Map()
    grounds = new Map()
    read = []
    most = max
  }
  const numberOf = (look) => {
    if (!looks.has(look)) looks.set(look, looks.size)
    return looks.get(look)
  }
  /** Identifies everything that is painted behind an element. */
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
