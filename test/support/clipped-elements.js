// Returns elements that overflow the page or are clipped inside it without a scrollbar, and texts squeezed to one character per line. Runs in
// the page.
;(() => {
  const edge = document.documentElement.clientWidth + 1
  const scrolls = (element) => ['auto', 'scroll'].includes(getComputedStyle(element).overflowX)
  const isInScroller = (element) => {
    for (let up = element; up && up !== document.body; up = up.parentElement) if (scrolls(up)) return true
    return false
  }
  const isCut = (element) => {
    const { left, right, width } = element.getBoundingClientRect()
    const { overflowX, position } = getComputedStyle(element)
    if (width <= 1 || position === 'absolute' || isInScroller(element)) return false
    return right > edge || left < -1 || (overflowX === 'hidden' && element.scrollWidth > element.clientWidth + 1)
  }
  const isSqueezed = (element) => {
    const size = Number.parseFloat(getComputedStyle(element).fontSize)
    return [...element.childNodes].some((node) => {
      if (node.nodeType !== Node.TEXT_NODE || node.data.trim().length < 8) return false
      const range = document.createRange()
      range.selectNodeContents(node)
      const { width, height } = range.getBoundingClientRect()
      return width > 1 && width < size * 2 && height > size * 5
    })
  }
  const isWrong = (element) => isCut(element) || isSqueezed(element)
  return [...document.querySelectorAll('main *')].filter(isWrong).map((element) => element.outerHTML.slice(0, 100))
})()
