// Returns the recorded problems, the controls that never received the focus, and those focused out of document order. Runs in the page after the
// last stop.
;(() => {
  const stops = [...new Set(globalThis.focusWalk.stops)]
  const name = (element) => element.outerHTML.slice(0, 80)
  // One radio button of a group represents all: arrow keys lead to the others.
  const isRepresented = (control) => control.type === 'radio' && stops.some((stop) => stop.type === 'radio' && stop.name === control.name)
  const canBeReached = (control) =>
    control.tabIndex >= 0 &&
    !control.matches(':disabled') &&
    control.type !== 'hidden' &&
    control.checkVisibility({ visibilityProperty: true })
  const missed = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')]
    .filter((control) => canBeReached(control) && !stops.includes(control) && !isRepresented(control))
    .map((control) => `${name(control)}: not reachable by keyboard`)
  const outOfTurn = stops
    .slice(1)
    .filter((stop, i) => !(stops[i].compareDocumentPosition(stop) & Node.DOCUMENT_POSITION_FOLLOWING))
    .map((stop) => `${name(stop)}: focused out of order`)
  // Removes the focus and the listeners, so that the following checks see the original page.
  document.activeElement?.blur()
  globalThis.focusWalk.end()
  return [...globalThis.focusWalk.faults, ...missed, ...outOfTurn]
})()
