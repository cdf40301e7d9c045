import { AppError } from '../../../kernel/errors.ts'
import type { FieldType } from '../dictionary/types.ts'
import type { ReportValue } from '../report-table.ts'
import { formatHour } from './buckets.ts'
import { type CompiledGroups, compileGroups, type GroupRequest } from './compile-groups.ts'
import type { UsedRate } from './convert.ts'
import { executeStatement, requireAffordable } from './execute.ts'
import { invalidArgumentAt } from './names.ts'
import { requireGroupRights } from './rights.ts'
import type { Snapshot } from './snapshot.ts'
import { chooseSuppressedGroups } from './suppress.ts'
import { toReportValue } from './values.ts'

/** A group with the values of its aggregates: amounts in minor units, days and instants as text. */
export interface Group {
  keys: readonly ReportValue[]
  currency: string
  isTest: boolean | null
  values: Record<string, number | string | null>
  isSuppressed: boolean
}

export interface GroupSet {
  groups: Group[]
  compiled: CompiledGroups
  /** Number of groups and people that were merged because their groups were too small. */
  suppressed: { rows: number; participants: number } | null
  /** Exchange rates by which the amounts were converted. */
  rates: readonly UsedRate[]
}

export const MAX_GROUPS = 10_000

type Row = Record<string, unknown>

/** Compiles, checks and runs one group statement. */
export async function runGroupStatement(snapshot: Snapshot, request: GroupRequest): Promise<GroupSet> {
  const { db, scope, dictionary, reader, ctx } = snapshot
  const compiled = compileGroups(dictionary, scope, request)
  const functions = request.aggregates.map(({ fn }) => fn)
  const countsPersons = requireGroupRights(compiled.plan, reader, { categories: compiled.categories, functions })
  const { values } = compiled.plan
  const text = compiled.toSql({ countsPersons })
  // The planner mistakes the number of different instants for the number of their days or months.
  const isGrouped = compiled.keys.length > 0 && compiled.keys.every(({ key }) => key.bucket === null)
  await requireAffordable(db, { text, values, isGrouped }, ctx.queryLimits)
  const dateField = compiled.keys.find(({ used }) => used.field.type === 'instant')?.key.path ?? null
  const rows = await executeStatement<Row>(
    db,
    { text: compiled.toSql({ limit: MAX_GROUPS + 1, countsPersons }), values, dateField },
    ctx.queryLimits,
  )
  if (rows.length > MAX_GROUPS)
    throw invalidArgumentAt('groupBy', `has more than ${MAX_GROUPS} groups: use larger buckets, fewer keys or a filter`)
  if (rows.some((row) => row['missing'] === true)) throw missingRate(scope.conversion!.currency)
  const toGroup = (row: Row) => readGroup(compiled, snapshot, row)
  const rates = rows.flatMap((row) => (row['rates'] ?? []) as UsedRate[])
  if (!countsPersons) return { groups: rows.map(toGroup), compiled, suppressed: null, rates }
  return { ...(await mergeSmallGroups(snapshot, compiled, rows, toGroup)), rates }
}

async function mergeSmallGroups(
  snapshot: Snapshot,
  compiled: CompiledGroups,
  rows: readonly Row[],
  toGroup: (row: Row) => Group,
): Promise<Omit<GroupSet, 'rates'>> {
  const keyed = rows.map((row) => ({ row, persons: Number(row['persons']), key: JSON.stringify(toGroup(row).keys) }))
  const small = chooseSuppressedGroups(keyed)
  const kept = keyed.filter((one) => !small.includes(one)).map(({ row }) => toGroup(row))
  if (small.length === 0) return { groups: kept, compiled, suppressed: null }
  // Distinct counts of the merged groups cannot be added, so they are counted together.
  const { plan, keys } = compiled
  const isOneOf = small.map(({ row }) =>
    keys
      .map(
        (key, i) =>
          `${key.isExploded ? `e${i}.member` : key.sql} is not distinct from ${plan.bind(row[`k${i}`] ?? null, typeOfKey(key.type))}`,
      )
      .join(' and '),
  )
  const text = compiled.toSql({ only: `(${isOneOf.map((one) => `(${one})`).join(' or ')})`, withoutKeys: true, countsPersons: true })
  const merged = await executeStatement<Row>(snapshot.db, { text, values: plan.values, dateField: null }, snapshot.ctx.queryLimits)
  const groups = merged.map((row): Group => ({ ...toGroup(row), keys: keys.map(() => null), isSuppressed: true }))
  return {
    groups: [...kept, ...groups],
    compiled,
    suppressed: { rows: small.length, participants: merged.reduce((sum, row) => sum + Number(row['persons']), 0) },
  }
}

const missingRate = (currency: string) =>
  new AppError(
    'unavailable',
    `There is no exchange rate into ${currency} for each day. Set LANYARD_FX_PROVIDER or LANYARD_FX_FILE, or pass rateOn as a day`,
  )

const KEY_TYPES: Partial<Record<FieldType, string>> = {
  integer: 'numeric',
  decimal: 'numeric',
  percent: 'numeric',
  money: 'numeric',
  boolean: 'boolean',
  day: 'date',
  instant: 'timestamptz',
}
const typeOfKey = (type: FieldType): string => KEY_TYPES[type] ?? 'text'

function readGroup({ keys, aggregates, hasCurrencies, hasTestKey }: CompiledGroups, { event, scope }: Snapshot, row: Row): Group {
  const currency = scope.conversion?.currency ?? (hasCurrencies ? String(row['currency'] ?? event.currency) : event.currency)
  const shown = keys.map(({ type, key }, i) => {
    const value = row[`k${i}`] ?? null
    return key.bucket === 'hour' && value instanceof Date ? formatHour(event.timezone, value) : toReportValue(value, type, currency)
  })
  const values = aggregates.map(({ name, type }, i) => [name, toRaw(row[`a${i}`] ?? null, type)] as const)
  return {
    keys: shown,
    currency,
    isTest: hasTestKey ? Boolean(row['test']) : null,
    values: Object.fromEntries(values),
    isSuppressed: false,
  }
}

function toRaw(value: unknown, type: FieldType): number | string | null {
  if (value === null) return null
  if (value instanceof Date) return value.toISOString()
  return type === 'day' || type === 'instant' ? String(value) : Number(value)
}
