// What was wrong at the stops, which controls the keyboard did not come to, and to which it came out of turn. It runs in the page itself, after the last stop.
;(() => {
  const stops = [...new Set(globalThis.focusWalk.stops)]
  const name = (element) => element.outerHTML.slice(0, 80)
  // Of several that exclude one another one stands for all: arrows lead to the others.
  const isStoodFor = (control) => control.type === 'radio' && stops.some((stop) => stop.type === 'radio' && stop.name === control.name)
  const canBeReached = (control) =>
    control.tabIndex >= 0 &&
    !control.matches(':disabled') &&
    control.type !== 'hidden' &&
    control.checkVisibility({ visibilityProperty: true })
  const missed = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')]
    .filter((control) => canBeReached(control) && !stops.includes(control) && !isStoodFor(control))
    .map((control) => `${name(control)}: the keyboard does not come here`)
  const outOfTurn = stops
    .slice(1)
    .filter((stop, i) => !(stops[i].compareDocumentPosition(stop) & Node.DOCUMENT_POSITION_FOLLOWING))
    .map((stop) => `${name(stop)}: the keyboard comes here out of turn`)
  // Whoever looks at the page next sees it as it was.
  document.activeElement?.blur()
  globalThis.focusWalk.end()
  return [...globalThis.focusWalk.faults, ...missed, ...outOfTurn]
})()
