// Where the focus is now and what is wrong with how it shows; null when it has left the page. It runs in the page itself.
;(() => {
  const at = document.activeElement
  if (!at || at === document.body) return null
  globalThis.focusStops?.push(at)
  // The one is made to lie on top of the page; in the other a mail shows what it will.
  if (at.matches('.skip, iframe')) return []
  const name = at.outerHTML.slice(0, 80)
  const style = getComputedStyle(at)
  const clear = 'rgba(0, 0, 0, 0)'
  if (style.outlineColor === clear) return style.backgroundColor === clear ? [`${name}: neither ring nor fill`] : []
  const width = Number.parseFloat(style.outlineWidth)
  const offset = Number.parseFloat(style.outlineOffset)
  if (style.outlineStyle === 'none' || width < 2) return [`${name}: no ring`]

  const grown = (box, by) => ({ left: box.left - by, top: box.top - by, right: box.right + by, bottom: box.bottom + by })
  const common = (a, b) => ({
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  })
  /** Less than half a pixel is nothing that anybody sees. */
  const isArea = (box) => box.right - box.left > 0.5 && box.bottom - box.top > 0.5
  const isWithin = (a, b) => a.left >= b.left - 0.5 && a.right <= b.right + 0.5 && a.top >= b.top - 0.5 && a.bottom <= b.bottom + 0.5
  const clippers = (of) => {
    const all = []
    for (let up = of.parentElement; up && up !== document.body; up = up.parentElement)
      if (getComputedStyle(up).overflowX !== 'visible') all.push(up)
    return all
  }

  const boxes = [...at.getClientRects()]
  const faults = []
  for (const clipper of clippers(at))
    if (boxes.some((box) => !isWithin(grown(box, offset + width), clipper.getBoundingClientRect())))
      faults.push(`${name}: the ring is cut by ${clipper.className || clipper.tagName}`)
  const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (words.nextNode()) {
    const node = words.currentNode
    const parent = node.parentElement
    if (!node.textContent?.trim() || !parent.checkVisibility() || (at.contains(node) && offset >= 0)) continue
    // What stays over the page while it scrolls covers the ring, not the other way round.
    if (parent.closest('.hidden, .skip, .save-bar, .docs-top, option, script, noscript')) continue
    const range = document.createRange()
    range.selectNodeContents(node)
    for (const line of range.getClientRects()) {
      const seen = [...clippers(parent), parent].reduce(
        (box, by) => (getComputedStyle(by).overflowX === 'visible' ? box : common(box, by.getBoundingClientRect())),
        line,
      )
      const isOn = (box) => isArea(common(seen, grown(box, offset + width))) && !isWithin(seen, grown(box, offset))
      if (isArea(seen) && boxes.some(isOn)) faults.push(`${name}: on "${node.textContent.trim().slice(0, 40)}"`)
    }
  }
  return faults
})()
