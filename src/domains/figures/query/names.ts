import { invalidArguments } from '../../../kernel/errors.ts'
import { listMostSimilarNames } from '../../../kernel/nearest.ts'

/** A parsed group key, such as `completedAt:month as month`. */
export interface GroupByKey {
  path: string
  bucket: string | null
  /** Step of numeric buckets, such as 10 in `step(10)`. */
  step: number | null
  name: string
}

export const AGGREGATE_FUNCTIONS = ['count', 'countDistinct', 'sum', 'avg', 'min', 'max', 'percentile'] as const
export type AggregateFunction = (typeof AGGREGATE_FUNCTIONS)[number]

/** A parsed aggregate, such as `percentile(total, 0.9) as p90`. */
export interface Aggregate {
  fn: AggregateFunction
  /** Path of the aggregated field; null for `count`, which counts rows. */
  path: string | null
  fraction: number | null
  name: string
}

export const DATE_GROUPING_UNITS = ['hour', 'day', 'week', 'month', 'quarter', 'year', 'dayOfWeek', 'hourOfDay', 'daysBefore'] as const

const NAME = '[A-Za-z][A-Za-z0-9_]{0,39}'
/** Matches a field path, such as `hotel.code`. Codes of custom fields may contain digits, hyphens and underscores. */
const PATH = '@?[A-Za-z][A-Za-z0-9]*(?:\\.[A-Za-z0-9][A-Za-z0-9_-]*){0,5}'
const GROUP_KEY = new RegExp(`^(${PATH})(?::([A-Za-z]+)(?:\\((\\d{1,9}(?:\\.\\d{1,4})?)\\))?)?(?: as (${NAME}))?$`)
const AGGREGATE = new RegExp(
  `^(${AGGREGATE_FUNCTIONS.join('|')})(?:\\( ?(${PATH}) ?(?:, ?(0(?:\\.\\d{1,4})?|1(?:\\.0{1,4})?|\\.\\d{1,4}) ?)?\\))?(?: as (${NAME}))?$`,
)

export function parseGroupByKey(written: string, at: string): GroupByKey {
  const [, path, bucket = null, step, name] = GROUP_KEY.exec(written.trim()) ?? []
  if (path === undefined)
    throw createInvalidArgumentError(at, 'must be a path such as "flowSlug", "completedAt:month" or "total:step(50) as price"')
  if ((bucket === 'step') !== (step !== undefined))
    throw createInvalidArgumentError(at, 'step needs a number, such as step(10); other buckets take none')
  if (bucket !== null && bucket !== 'step' && !(DATE_GROUPING_UNITS as readonly string[]).includes(bucket))
    throw createInvalidArgumentError(at, `the bucket must be one of ${DATE_GROUPING_UNITS.join(', ')} or step(n)`)
  if (step !== undefined && Number(step) <= 0) throw createInvalidArgumentError(at, 'the step must be above 0')
  return { path, bucket, step: step === undefined ? null : Number(step), name: name ?? (bucket === null ? path : `${path}:${bucket}`) }
}

export function parseAggregate(written: string, at: string): Aggregate {
  const [, fn, path = null, fraction, name] = AGGREGATE.exec(written.trim()) ?? []
  if (fn === undefined)
    throw createInvalidArgumentError(
      at,
      `must be count, count(path), or ${AGGREGATE_FUNCTIONS.slice(1).join('(path), ')}(path, 0.9), each with an optional " as name"`,
    )
  if (path === null && fn !== 'count') throw createInvalidArgumentError(at, `${fn} needs a path, such as ${fn}(total)`)
  if ((fn === 'percentile') !== (fraction !== undefined))
    throw createInvalidArgumentError(at, 'percentile, and only it, needs a number from 0 to 1 after the path')
  return {
    fn: fn as AggregateFunction,
    path,
    fraction: fraction === undefined ? null : Number(fraction),
    name: name ?? (path === null ? fn : `${fn}_${path.replaceAll('.', '_')}`),
  }
}

/** Parses an entry of orderBy: the name of a result column, in descending order if it begins with a hyphen. */
export const parseOrderByEntry = (written: string): { name: string; descending: boolean } =>
  written.startsWith('-') ? { name: written.slice(1), descending: true } : { name: written, descending: false }

export const createInvalidArgumentError = (path: string, message: string) => invalidArguments([{ path, message }])

/** Returns the end of an error message about an unknown name: similar known names or, if there are none, how to find the right one. */
export function describeSimilarNames(name: string, known: readonly string[]): string {
  const close = listMostSimilarNames(name, known, 3)
  const near = close.length > 0 ? close : known.filter((one) => name.includes('.') && one.startsWith(`${name.split('.')[0]}.`)).slice(0, 3)
  return near.length > 0 ? `Nearest: ${near.join(', ')}.` : 'Use describe_data to find the name.'
}
