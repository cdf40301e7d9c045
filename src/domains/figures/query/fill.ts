import { canAddEmptyPeriods, formatLocalHour, getPeriodOfInstant, listPeriodsBetween } from './buckets.ts'
import type { DataQuery } from './data-query.ts'
import { findFilterTimeBounds } from './fill-bounds.ts'
import { type ResultGroup, type GroupStatementResult, MAX_GROUPS } from './group-statements.ts'
import { type GroupByKey, createInvalidArgumentError } from './names.ts'
import type { QuerySnapshot } from './snapshot.ts'

interface Filled {
  keys: readonly { key: GroupByKey }[]
  groups: readonly ResultGroup[]
  query: DataQuery
  /** Results of the query's SQL statements. The group key `date` may stand for a different date field in each. */
  sets: readonly GroupStatementResult[]
}

/** Finds the group key whose missing dates are added. Throws if no key is divided into consecutive dates. */
export function getGroupKeyWithMissingDates(keys: Filled['keys']): { at: number; key: GroupByKey } {
  const at = keys.findIndex(({ key }) => key.bucket !== null && key.bucket !== 'step')
  const { key } = keys[at] ?? {}
  if (!key) throw createInvalidArgumentError('fill', 'needs a group key with a date bucket, such as completedAt:day')
  if (!canAddEmptyPeriods(key.bucket)) throw createInvalidArgumentError('fill', `${key.bucket} has no empty buckets to fill`)
  return { at, key }
}

/** Adds groups without values for missing dates between the bounds of the filter, or else between the first and the last date. */
export function addGroupsForMissingDates(snapshot: QuerySnapshot, { keys, groups, query, sets }: Filled): readonly ResultGroup[] {
  const { timezone } = snapshot.event
  const { at, key } = getGroupKeyWithMissingDates(keys)
  // If small groups were merged for privacy, the rows of a missing date may be in the merged group, so no dates are added.
  if (groups.some(({ isSuppressed }) => isSuppressed)) return groups
  const shown = groups
    .map((group) => group.keys[at]!)
    .filter((value) => value !== null)
    .map(String)
    .toSorted(key.bucket === 'hour' ? (a, b) => Date.parse(a) - Date.parse(b) : undefined)
  const isKeyField = (path: string) => sets.some(({ compiled }) => compiled.plan.normalize(path) === compiled.keys[at]!.used.path)
  const { from, until } = findFilterTimeBounds(query.filter, isKeyField, snapshot)
  const hasSeveralZones = snapshot.scope.event === null
  const toPeriod = (instant: Date) =>
    key.bucket === 'hour' && hasSeveralZones ? formatLocalHour(timezone, instant) : getPeriodOfInstant(key.bucket, instant, timezone)
  const first = from ? toPeriod(from) : shown[0]
  const last = until ? toPeriod(until) : shown.at(-1)
  const buckets =
    first === undefined || last === undefined ? [] : listPeriodsBetween(key.bucket, first, last, hasSeveralZones ? null : timezone)
  // Missing dates are added separately for each combination of the other keys, currency and test data flag.
  const identify = ({ currency, isTest }: ResultGroup, values: readonly unknown[]) => JSON.stringify([values, currency, isTest])
  const others = new Map(groups.map((group) => [identify(group, group.keys.with(at, null)), group]))
  const count = Math.max(1, others.size) * buckets.length
  if (query.fillAtMost !== undefined && count > query.fillAtMost) return groups
  if (count > MAX_GROUPS)
    throw createInvalidArgumentError('fill', `makes more than ${MAX_GROUPS} groups: use larger buckets, fewer keys or a shorter period`)
  const known = new Set(groups.map((group) => identify(group, group.keys)))
  const empty = (others.size > 0 ? [...others.values()] : [emptyGroup(keys.length, snapshot)]).flatMap((like) =>
    buckets
      .map((bucket) => like.keys.with(at, bucket))
      .filter((missing) => !known.has(identify(like, missing)))
      .map((missing): ResultGroup => ({ ...like, keys: missing, values: {} })),
  )
  return [...groups, ...empty]
}

const emptyGroup = (keyCount: number, { event }: QuerySnapshot): ResultGroup => ({
  keys: Array.from({ length: keyCount }, () => null),
  currency: event.currency,
  isTest: null,
  values: {},
  isSuppressed: false,
})
