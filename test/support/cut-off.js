// What sticks out of the page or is cut off inside of it, unless it can be scrolled to. It runs in the page itself.
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
  return [...document.querySelectorAll('main *')].filter(isCut).map((element) => element.outerHTML.slice(0, 100))
})()
