import { endOfDay, isCalendarDay, startOfDay } from '../../../kernel/time.ts'
import type { ConditionTree } from './data-query.ts'
import { resolveRelativeDay } from './filter.ts'
import type { QuerySnapshot } from './snapshot.ts'

/** The first and the last instant that a filter allows; undefined if the filter sets no such limit. */
interface FillBounds {
  from?: Date | undefined
  until?: Date | undefined
}

/**
 * Finds the first and last instant that a filter allows for a field. Conditions inside `any` are ignored, because a row need not meet each
 * of them.
 */
export function findFilterTimeBounds(
  tree: ConditionTree | undefined,
  isField: (path: string) => boolean,
  snapshot: QuerySnapshot,
): FillBounds {
  if (!tree) return {}
  const parts = 'all' in tree ? tree.all : 'any' in tree && tree.any.length === 1 ? tree.any : null
  if (parts) return intersect(parts.map((part) => findFilterTimeBounds(part, isField, snapshot)))
  if (!('field' in tree) || !isField(tree.field)) return {}
  const [first, last = first] = Array.isArray(tree.value) ? (tree.value as unknown[]) : [tree.value]
  const start = () => startOf(first, snapshot)
  const end = () => endOf(last, snapshot)
  switch (tree.op) {
    case 'between':
    case 'equals':
    case 'onDay':
      return { from: start(), until: end() }
    case 'gte':
      return { from: start() }
    case 'gt':
      return { from: new Date(end().getTime() + 1) }
    case 'lte':
      return { until: end() }
    case 'lt':
      return { until: new Date(start().getTime() - 1) }
    default:
      return {}
  }
}

function intersect(parts: readonly FillBounds[]): FillBounds {
  const times = (side: keyof FillBounds) => parts.flatMap((part) => part[side]?.getTime() ?? [])
  const [from, until] = [times('from'), times('until')]
  return {
    ...(from.length > 0 ? { from: new Date(Math.max(...from)) } : {}),
    ...(until.length > 0 ? { until: new Date(Math.min(...until)) } : {}),
  }
}

/** Returns the day that the value of a condition means; null if the value is an instant. */
function toDay(value: unknown, { scope }: QuerySnapshot): string | null {
  if (typeof value === 'object' && value !== null) return resolveRelativeDay(scope, value as Record<string, unknown>, 'filter')
  return isCalendarDay(String(value)) ? String(value) : null
}

function startOf(value: unknown, snapshot: QuerySnapshot): Date {
  const day = toDay(value, snapshot)
  return day === null ? new Date(String(value)) : startOfDay(snapshot.event.timezone, day)
}

/** Returns the last millisecond of the given day, or the given instant. */
function endOf(value: unknown, snapshot: QuerySnapshot): Date {
  const day = toDay(value, snapshot)
  return day === null ? new Date(String(value)) : new Date(endOfDay(snapshot.event.timezone, day).getTime() - 1)
}
