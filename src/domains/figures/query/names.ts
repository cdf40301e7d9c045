import { invalidArguments } from '../../../kernel/errors.ts'
import { listNearestNames } from '../../../kernel/nearest.ts'

/** A parsed group key, such as `completedAt:month as month`. */
export interface GroupKey {
  path: string
  bucket: string | null
  /** Step of numeric buckets, such as 10 in `step(10)`. */
  step: number | null
  name: string
}

export const AGGREGATES = ['count', 'countDistinct', 'sum', 'avg', 'min', 'max', 'percentile'] as const
export type AggregateFunction = (typeof AGGREGATES)[number]

/** A parsed aggregate, such as `percentile(total, 0.9) as p90`. */
export interface Aggregate {
  fn: AggregateFunction
  /** Path of the aggregated field; null for `count`, which counts rows. */
  path: string | null
  fraction: number | null
  name: string
}

export const BUCKETS = ['hour', 'day', 'week', 'month', 'quarter', 'year', 'dayOfWeek', 'hourOfDay', 'daysBefore'] as const

const NAME = '[A-Za-z][A-Za-z0-9_]{0,39}'
/** Pattern of a field path. Codes of custom fields may contain digits, hyphens and underscores. */
const PATH = '@?[A-Za-z][A-Za-z0-9]*(?:\\.[A-Za-z0-9][A-Za-z0-9_-]*){0,5}'
const GROUP_KEY = new RegExp(`^(${PATH})(?::([A-Za-z]+)(?:\\((\\d{1,9}(?:\\.\\d{1,4})?)\\))?)?(?: as (${NAME}))?$`)
const AGGREGATE = new RegExp(
  `^(${AGGREGATES.join('|')})(?:\\( ?(${PATH}) ?(?:, ?(0(?:\\.\\d{1,4})?|1(?:\\.0{1,4})?|\\.\\d{1,4}) ?)?\\))?(?: as (${NAME}))?$`,
)

export function parseGroupKey(written: string, at: string): GroupKey {
  const [, path, bucket = null, step, name] = GROUP_KEY.exec(written.trim()) ?? []
  if (path === undefined) throw invalidArgumentAt(at, 'must be a path such as "flowSlug", "completedAt:month" or "total:step(50) as price"')
  if ((bucket === 'step') !== (step !== undefined))
    throw invalidArgumentAt(at, 'step needs a number, such as step(10); other buckets take none')
  if (bucket !== null && bucket !== 'step' && !(BUCKETS as readonly string[]).includes(bucket))
    throw invalidArgumentAt(at, `the bucket must be one of ${BUCKETS.join(', ')} or step(n)`)
  if (step !== undefined && Number(step) <= 0) throw invalidArgumentAt(at, 'the step must be above 0')
  return { path, bucket, step: step === undefined ? null : Number(step), name: name ?? (bucket === null ? path : `${path}:${bucket}`) }
}

export function parseAggregate(written: string, at: string): Aggregate {
  const [, fn, path = null, fraction, name] = AGGREGATE.exec(written.trim()) ?? []
  if (fn === undefined)
    throw invalidArgumentAt(
      at,
      `must be count, count(path), or ${AGGREGATES.slice(1).join('(path), ')}(path, 0.9), each with an optional " as name"`,
    )
  if (path === null && fn !== 'count') throw invalidArgumentAt(at, `${fn} needs a path, such as ${fn}(total)`)
  if ((fn === 'percentile') !== (fraction !== undefined))
    throw invalidArgumentAt(at, 'percentile, and only it, needs a number from 0 to 1 after the path')
  return {
    fn: fn as AggregateFunction,
    path,
    fraction: fraction === undefined ? null : Number(fraction),
    name: name ?? (path === null ? fn : `${fn}_${path.replaceAll('.', '_')}`),
  }
}

/** Parses an entry of orderBy: the name of a result column, in descending order if it begins with a hyphen. */
export const parseOrder = (written: string): { name: string; descending: boolean } =>
  written.startsWith('-') ? { name: written.slice(1), descending: true } : { name: written, descending: false }

export const invalidArgumentAt = (path: string, message: string) => invalidArguments([{ path, message }])

/** Returns the end of an error message about an unknown name: similar known names or, if there are none, how to find the right one. */
export function describeNearest(name: string, known: readonly string[]): string {
  const close = listNearestNames(name, known, 3)
  const near = close.length > 0 ? close : known.filter((one) => name.includes('.') && one.startsWith(`${name.split('.')[0]}.`)).slice(0, 3)
  return near.length > 0 ? `Nearest: ${near.join(', ')}.` : 'Use describe_data to find the name.'
}
