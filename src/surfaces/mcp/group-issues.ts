import type { z } from 'zod'

type Issue = z.core.$ZodIssue

/** How many validation errors of one kind are listed in full, and how many of the remaining ones are named by path. */
const MAX_ALIKE = 3

/**
 * Keeps the first issues of each kind. Issues are of one kind if they differ only in the position of the list item. The
 * last one kept gets a note with the number of the others, so that one wrong column of a long list does not hide other errors.
 */
export function groupValidationIssues(issues: readonly Issue[]): { issue: Issue; note: string }[] {
  const kinds = Map.groupBy(issues, ({ path, code, message }) =>
    JSON.stringify([path.map((key) => (typeof key === 'number' ? 0 : String(key))), code, message]),
  )
  return [...kinds.values()].flatMap((alike) => {
    const others = alike.slice(MAX_ALIKE).map(({ path }) => path.map(String).join('/'))
    return alike.slice(0, MAX_ALIKE).map((issue, index) => ({ issue, note: index === MAX_ALIKE - 1 ? describeOthers(others) : '' }))
  })
}

function describeOthers(places: readonly string[]): string {
  if (places.length === 0) return ''
  const named = places.slice(0, MAX_ALIKE).join(', ')
  return ` (${places.length} more like this, at ${named}${places.length > MAX_ALIKE ? ' and so on' : ''})`
}
