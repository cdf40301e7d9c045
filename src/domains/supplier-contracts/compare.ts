import { isDeepStrictEqual } from 'node:util'
import { fillClauseVariables } from './clause-text.ts'
import type { Clause } from './tables.ts'
import { diffWords, type TextDiffHunk } from './words.ts'

export const CLAUSE_CHANGE_KINDS = ['added', 'removed', 'changed'] as const

export interface ClauseDifference {
  key: string
  title: string
  change: (typeof CLAUSE_CHANGE_KINDS)[number]
  hunks: TextDiffHunk[]
}

/** Whether two versions of a clause have the same title, text and values. */
export const isSameClause = (a: Clause, b: Clause): boolean =>
  a.title === b.title && fillClauseVariables(a) === fillClauseVariables(b) && isDeepStrictEqual(a.vars, b.vars)

/** Whether a clause has the same text in two versions, or is missing in both. */
export const isClauseUnchanged = (a: Clause | undefined, b: Clause | undefined): boolean => (a && b ? isSameClause(a, b) : a === b)

/** Finds the corresponding clause of another version: by key, otherwise by title. */
export const findCorrespondingClause = (clauses: readonly Clause[], { key, title }: Pick<Clause, 'key' | 'title'>): Clause | undefined =>
  clauses.find((one) => one.key === key) ?? clauses.find((one) => normalizeClauseTitle(one.title) === normalizeClauseTitle(title))

/** Normalizes a title: removes its number and punctuation, and converts it to lower case. */
export const normalizeClauseTitle = (title: string): string =>
  title
    .normalize('NFKC')
    .toLowerCase()
    .replace(/^\s*(?:(?:§|art(?:icle|\.)?|clause|section)\s*)?\d+(?:\.\d+)*\s*[.):–-]?\s*/u, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** Compares two contract versions. Unchanged clauses are left out. */
export function compareContractVersions(from: readonly Clause[], to: readonly Clause[]): ClauseDifference[] {
  const found: (ClauseDifference & { at: number })[] = []
  const matched = new Set<Clause>()
  from.forEach((old, index) => {
    const now = findCorrespondingClause(
      to.filter((one) => !matched.has(one)),
      old,
    )
    if (!now) return found.push({ at: index, ...describe(old, 'removed', fillClauseVariables(old), '') })
    matched.add(now)
    if (isSameClause(old, now)) return
    return found.push({
      at: Math.min(index, to.indexOf(now)),
      ...describe(now, 'changed', fillClauseVariables(old), fillClauseVariables(now)),
    })
  })
  to.forEach((now, index) => {
    if (!matched.has(now)) found.push({ at: index, ...describe(now, 'added', '', fillClauseVariables(now)) })
  })
  return found.toSorted((a, b) => a.at - b.at || (a.key < b.key ? -1 : 1)).map(({ at: _at, ...difference }) => difference)
}

const describe = ({ key, title }: Clause, change: ClauseDifference['change'], old: string, now: string): ClauseDifference => ({
  key,
  title,
  change,
  hunks: diffWords(old, now),
})
