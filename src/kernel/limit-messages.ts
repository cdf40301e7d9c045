import type { z } from 'zod'

const UNITS: Record<string, [one: string, many: string]> = {
  string: ['character', 'characters'],
  array: ['item', 'items'],
  set: ['item', 'items'],
}

/** Formats a limit with its unit: "3 items", or "3" if the limit is not a length. */
export const formatLimit = (limit: number | bigint, origin: string): string => {
  const unit = UNITS[origin]?.[Number(limit) === 1 ? 0 : 1]
  return unit === undefined ? String(limit) : `${limit} ${unit}`
}

/** Matches the validator's own messages, which are for programmers ("Too big: expected string to have <=5 characters"). */
const DEFAULT_MESSAGE = /^(Too (big|small)|Invalid)\b/

/** Rewords the validator's message about an invalid value in plain words. Messages that a schema defines itself are kept. */
export function rewordValidationMessage(issue: z.core.$ZodIssue): string {
  if (!DEFAULT_MESSAGE.test(issue.message)) return issue.message
  if (issue.code === 'too_big') return `at most ${formatLimit(issue.maximum as number, issue.origin)}`
  if (issue.code === 'too_small') return `at least ${formatLimit(issue.minimum as number, issue.origin)}`
  if (issue.code === 'invalid_key' && issue.issues[0]) return `has a key that is not valid: ${rewordValidationMessage(issue.issues[0])}`
  return 'is not in the correct format'
}

/** Removes issues about the length or size of values of the wrong type: for a text instead of a list, they would count characters. */
export function removeMisleadingLimitIssues(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  const mistyped = new Set(issues.filter(({ code }) => code === 'invalid_type').map(({ path }) => JSON.stringify(path)))
  return issues.filter(({ code, path }) => (code !== 'too_big' && code !== 'too_small') || !mistyped.has(JSON.stringify(path)))
}
