// Records the elements that receive the focus, and problems with their focus ring. Runs in the page before the first key.
;(() => {
  globalThis.focusWalk?.end()
  const listening = new AbortController()
  const walk = { left: false, stops: [], faults: new Set(), end: () => listening.abort() }
  globalThis.focusWalk = walk

  const clear = 'rgba(0, 0, 0, 0)'
  const grown = (box, by) => ({ left: box.left - by, top: box.top - by, right: box.right + by, bottom: box.bottom + by })
  const common = (a, b) => ({
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  })
  /** Areas below half a pixel are invisible. */
  const isArea = (box) => box.right - box.left > 0.5 && box.bottom - box.top > 0.5
  const isWithin = (a, b) => a.left >= b.left - 0.5 && a.right <= b.right + 0.5 && a.top >= b.top - 0.5 && a.bottom <= b.bottom + 0.5
  const clippers = (of) => {
    const all = []
    for (let up = of.parentElement; up && up !== document.body; up = up.parentElement)
      if (getComputedStyle(up).overflowX !== 'visible') all.push(up)
    return all
  }

  const scrolls = ({ overflowX, overflowY }) => /auto|scroll/.test(overflowX + overflowY)
  const scrollers = [...document.querySelectorAll('body *')].filter((one) => scrolls(getComputedStyle(one)))
  const placeOf = ({ scrollLeft, scrollTop, scrollWidth, scrollHeight }) => [scrollLeft, scrollTop, scrollWidth, scrollHeight].join()
  let place
  let measured
  /** All texts with their boxes; measured again only if something was scrolled or resized since the last stop. */
  const words = () => {
    const now = [document.documentElement, ...scrollers].map(placeOf).join(' ')
    if (now === place) return measured
    place = now
    measured = []
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const range = document.createRange()
    while (texts.nextNode()) {
      const node = texts.currentNode
      if (!node.textContent.trim()) continue
      range.selectNodeContents(node)
      measured.push({ node, near: range.getBoundingClientRect() })
    }
    return measured
  }

  const faultsOf = (at) => {
    // The skip link is positioned above the page on purpose, and a frame shows the content of an email.
    if (at.matches('.skip, iframe')) return []
    const name = at.outerHTML.slice(0, 80)
    // A custom-styled option has the ring around its label.
    const around = at.closest('label, .option')
    const ringed = around && getComputedStyle(around).outlineStyle !== 'none' ? around : at
    const style = getComputedStyle(ringed)
    if (style.outlineColor === clear) return style.backgroundColor === clear ? [`${name}: neither ring nor fill`] : []
    const width = Number.parseFloat(style.outlineWidth)
    const offset = Number.parseFloat(style.outlineOffset)
    if (style.outlineStyle === 'none' || width < 2) return [`${name}: no ring`]

    const rings = [...ringed.getClientRects()].map((box) => ({ inner: grown(box, offset), outer: grown(box, offset + width) }))
    const faults = []
    for (const clipper of clippers(ringed))
      if (rings.some(({ outer }) => !isWithin(outer, clipper.getBoundingClientRect())))
        faults.push(`${name}: the ring is cut by ${clipper.className || clipper.tagName}`)
    const range = document.createRange()
    for (const { node, near } of words()) {
      const parent = node.parentElement
      if (ringed.contains(node) && offset >= 0) continue
      // Most texts are far away, and the exact checks are slow.
      if (!rings.some(({ outer }) => isArea(common(near, outer)))) continue
      range.selectNodeContents(node)
      if (!parent.checkVisibility()) continue
      // Sticky elements cover the ring, not the other way round.
      if (parent.closest('.hidden, .skip, .save-bar, .docs-top, option, script, noscript')) continue
      const clips = [...clippers(parent), parent].filter((by) => getComputedStyle(by).overflowX !== 'visible')
      for (const line of range.getClientRects()) {
        const seen = clips.reduce((box, by) => common(box, by.getBoundingClientRect()), line)
        const isOn = ({ inner, outer }) => isArea(common(seen, outer)) && !isWithin(seen, inner)
        if (isArea(seen) && rings.some(isOn)) faults.push(`${name}: on "${node.textContent.trim().slice(0, 40)}"`)
      }
    }
    return faults
  }

  walk.note = () => {
    const at = document.activeElement
    if (walk.left || !at || at === document.body || at === walk.stops.at(-1)) return
    walk.stops.push(at)
    for (const fault of faultsOf(at)) walk.faults.add(fault)
  }
  // At the next keydown the page has finished scrolling to the previous stop.
  const options = { capture: true, signal: listening.signal }
  addEventListener('keydown', ({ key }) => key === 'Tab' && walk.note(), options)
  // After the last stop the focus leaves the page before it starts again at the first one. A frame takes the focus as well.
  addEventListener('focusout', ({ relatedTarget }) => (walk.left ||= !relatedTarget && !document.querySelector('iframe')), options)

  // Tab continues from the last focused position. Focusing and removing a temporary element before all others makes it start at the top.
  const top = Object.assign(document.createElement('span'), { tabIndex: -1 })
  document.body.prepend(top)
  top.focus()
  top.remove()
  walk.left = false
})()
