import { cleanText } from '../../../kernel/outside-text.ts'
import type { WebContext } from '../web.ts'

export type Filter = Record<string, string | undefined>

/** The named filters of the address, as people would type them. */
export function filterOf<Name extends string>(c: WebContext, names: readonly Name[]): Record<Name, string | undefined> {
  return filterIn(c.req.query(), names)
}

/** The same of a form that carries them on. */
export function filterIn<Name extends string>(values: Filter, names: readonly Name[]): Record<Name, string | undefined> {
  const given = names.map((name) => [name, cleanText(values[name] ?? '', 200).trim() || undefined] as const)
  return Object.fromEntries(given) as Record<Name, string | undefined>
}

/** An address that can be shared: the same list with the same filters. */
export function addressOf(path: string, filter: Filter, cursor?: string): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries({ ...filter, cursor })) if (value) query.set(name, value)
  return query.size > 0 ? `${path}?${query.toString()}` : path
}

/** Links to the pages around this one. */
export const pagesAround = (path: string, filter: Filter, cursor: string | undefined, nextCursor: string | null) => ({
  next: nextCursor ? addressOf(path, filter, nextCursor) : null,
  first: cursor ? addressOf(path, filter) : null,
})

/** A cursor is good for the list and the filters it came from, and for the person it was made for. */
export const scopeOf = (userId: string, list: string, filter: Filter) => `${userId}|console ${list}|${JSON.stringify(filter)}`
