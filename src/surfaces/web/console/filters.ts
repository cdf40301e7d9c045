import { cleanText } from '../../../kernel/clean-text.ts'
import type { WebContext } from '../web.ts'

export type ListFilterValues = Record<string, string | undefined>

/** Reads the named query parameters, cleaned and trimmed. */
export function readQueryFilter<Name extends string>(c: WebContext, names: readonly Name[]): Record<Name, string | undefined> {
  return readFormFilter(c.req.query(), names)
}

/** Reads the named form fields as list filters, cleaned and trimmed. */
export function readFormFilter<Name extends string>(values: ListFilterValues, names: readonly Name[]): Record<Name, string | undefined> {
  const given = names.map((name) => [name, cleanText(values[name] ?? '', 200).trim() || undefined] as const)
  return Object.fromEntries(given) as Record<Name, string | undefined>
}

/** Returns the URL of a list with its filters. */
export function buildListPath(path: string, filter: ListFilterValues, cursor?: string): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries({ ...filter, cursor })) if (value) query.set(name, value)
  return query.size > 0 ? `${path}?${query.toString()}` : path
}

/** Builds the scope of a cursor, which is valid only for the same user, list and filters. */
export const buildListCursorScope = (userId: string, list: string, filter: ListFilterValues) =>
  `${userId}|console ${list}|${JSON.stringify(filter)}`

/** Reads the filters and cursor of a list page. */
export function readListQuery<Name extends string>(c: WebContext, list: string, names: readonly Name[]) {
  const filter = readQueryFilter(c, names)
  const cursor = c.req.query('cursor') || undefined
  return {
    filter,
    cursor,
    cursorScope: buildListCursorScope(c.get('session').userId, list, filter),
    /** Links to the first and next page of a list, with the number of all its rows if it is known. */
    pageLinks: (path: string, nextCursor: string | null, total?: number) => ({
      next: nextCursor ? buildListPath(path, filter, nextCursor) : null,
      first: cursor ? buildListPath(path, filter) : null,
      total,
    }),
  }
}
