import { dayIn } from '../../../kernel/time.ts'
import { getBucketOfDay, listBuckets } from './buckets.ts'
import type { QueryTree } from './data-query.ts'
import { resolveRelativeDay } from './filter.ts'
import { type Group, MAX_GROUPS } from './group-statements.ts'
import { type GroupKey, invalidArgumentAt } from './names.ts'
import type { Snapshot } from './snapshot.ts'

/** Adds groups without values for the empty date buckets between the bounds of the filter, or between the first and the last bucket. */
export function fillBuckets(
  snapshot: Snapshot,
  keys: readonly { key: GroupKey }[],
  groups: readonly Group[],
  filter: QueryTree | undefined,
): Group[] {
  const at = keys.findIndex(({ key }) => key.bucket !== null && key.bucket !== 'step')
  const { key } = keys[at] ?? {}
  if (!key) throw invalidArgumentAt('fill', 'needs a group key with a date bucket, such as completedAt:day')
  const shown = groups
    .map((group) => group.keys[at]!)
    .filter((value) => value !== null)
    .map(String)
    .toSorted()
  const bounds = findBounds(filter, key.path, snapshot)
  const first = (bounds.from && getBucketOfDay(key.bucket, bounds.from)) ?? shown[0]
  const last = (bounds.until && getBucketOfDay(key.bucket, bounds.until)) ?? shown.at(-1)
  const buckets = first === undefined || last === undefined ? [] : listBuckets(key.bucket, first, last, snapshot.event.timezone)
  if (buckets === null) throw invalidArgumentAt('fill', `${key.bucket} has no empty buckets to fill`)
  // Groups of other keys, of another currency and of test data each have their own buckets.
  const identify = ({ currency, isTest, isSuppressed }: Group, values: readonly unknown[]) =>
    JSON.stringify([values, currency, isTest, isSuppressed])
  const others = new Map(groups.map((group) => [identify(group, group.keys.with(at, null)), group]))
  if (Math.max(1, others.size) * buckets.length > MAX_GROUPS)
    throw invalidArgumentAt('fill', `makes more than ${MAX_GROUPS} groups: use larger buckets, fewer keys or a shorter period`)
  const known = new Set(groups.map((group) => identify(group, group.keys)))
  const empty = (others.size > 0 ? [...others.values()] : [emptyGroup(keys.length, snapshot)]).flatMap((like) =>
    buckets
      .map((bucket) => like.keys.with(at, bucket))
      .filter((missing) => !known.has(identify(like, missing)))
      .map((missing): Group => ({ ...like, keys: missing, values: {} })),
  )
  return [...groups, ...empty]
}

const emptyGroup = (keyCount: number, { event }: Snapshot): Group => ({
  keys: Array.from({ length: keyCount }, () => null),
  currency: event.currency,
  isTest: null,
  values: {},
  isSuppressed: false,
})

/** Finds the days between which a filter restricts a field, if it does so at its top level. */
function findBounds(tree: QueryTree | undefined, path: string, snapshot: Snapshot): { from?: string; until?: string } {
  if (!tree) return {}
  if ('all' in tree)
    return Object.assign({}, ...tree.all.map((part) => findBounds(part, path, snapshot))) as { from?: string; until?: string }
  if (!('field' in tree) || tree.field !== path) return {}
  const day = (value: unknown) => (value === undefined ? undefined : toDay(value, snapshot))
  const from = day(tree.op === 'between' ? (tree.value as unknown[])[0] : tree.op === 'gte' ? tree.value : undefined)
  const until = day(tree.op === 'between' ? (tree.value as unknown[])[1] : tree.op === 'lte' ? tree.value : undefined)
  return { ...(from ? { from } : {}), ...(until ? { until } : {}) }
}

const toDay = (value: unknown, { event, scope }: Snapshot): string => {
  if (typeof value === 'object') return resolveRelativeDay(scope, value as Record<string, unknown>, 'filter')
  const text = String(value)
  return text.length === 10 ? text : dayIn(event.timezone, new Date(text))
}
