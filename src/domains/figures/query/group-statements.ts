import { AppError } from '../../../kernel/errors.ts'
import type { FieldType } from '../dictionary/types.ts'
import type { ReportValue } from '../report-table.ts'
import { formatHour } from './buckets.ts'
import { type CompiledGroupQuery, compileGroupQuery, type GroupQueryRequest } from './compile-groups.ts'
import type { UsedExchangeRate } from './convert.ts'
import { executeStatement, requireStatementWithinLimits } from './execute.ts'
import { createInvalidArgumentError } from './names.ts'
import { requireGroupQueryPermissions } from './rights.ts'
import type { QuerySnapshot } from './snapshot.ts'
import { chooseSuppressedGroups, listGroupsBelowMinSize } from './suppress.ts'
import { toReportValue } from './values.ts'

/** A group in the result of a query, with the values of its aggregates: amounts in minor units, days and instants as text. */
export interface ResultGroup {
  keys: readonly ReportValue[]
  currency: string
  isTest: boolean | null
  values: Record<string, number | string | null>
  isSuppressed: boolean
}

export interface GroupStatementResult {
  groups: ResultGroup[]
  compiled: CompiledGroupQuery
  /** Number of result groups that were merged because they had too few people, and number of these people. */
  suppressed: { rows: number; participants: number } | null
  /** Exchange rates by which the amounts were converted. */
  rates: readonly UsedExchangeRate[]
}

export const MAX_GROUPS = 10_000

type Row = Record<string, unknown>

/** Maximum number of result groups, over all events, whose people are counted to find groups with too few. */
const MAX_COUNTED_GROUPS = 100_000

/** Compiles a query that groups rows, checks its estimated cost and runs it. */
export async function runGroupStatement(snapshot: QuerySnapshot, request: GroupQueryRequest): Promise<GroupStatementResult> {
  const { scope, dictionary } = snapshot
  const compiled = compileGroupQuery(dictionary, scope, request)
  const merging = listMergingEvents(snapshot, compiled)
  const small = merging.length > 0 ? await findSmallGroups(snapshot, compiled, merging) : null
  const read = async (options: { only?: string; withoutKeys?: boolean }) => {
    const rows = await readRows(snapshot, compiled, options)
    if (rows.some((row) => row['missing'] === true)) throw missingRate(scope.conversion!.currency)
    return rows
  }
  const rows = await read(small ? { only: `not ${small.condition}` } : {})
  const groups = rows.map((row) => readGroup(compiled, snapshot, row))
  const rates = rows.flatMap((row) => (row['rates'] ?? []) as UsedExchangeRate[])
  if (!small) return { groups, compiled, suppressed: null, rates }
  // The merged groups are computed again as one group, because their distinct counts cannot be added.
  const merged = (await read({ only: small.condition, withoutKeys: true })).map((row): ResultGroup => ({
    ...readGroup(compiled, snapshot, row),
    keys: compiled.keys.map(() => null),
    isSuppressed: true,
  }))
  return { groups: [...groups, ...merged], compiled, suppressed: small.suppressed, rates }
}

/** Lists the events whose groups with few people are merged for this caller. Throws if the caller lacks a permission for the query. */
function listMergingEvents({ reader, scope }: QuerySnapshot, compiled: CompiledGroupQuery): readonly string[] {
  if (reader.across) return compiled.hasPersons ? reader.across.mergingEvents : []
  return requireGroupQueryPermissions(compiled, reader) ? scope.eventIds : []
}

async function readRows(
  { db, ctx }: QuerySnapshot,
  compiled: CompiledGroupQuery,
  options: { only?: string; withoutKeys?: boolean },
): Promise<Row[]> {
  const { values } = compiled.plan
  // PostgreSQL's planner overestimates the number of groups by date, so its estimate is checked only without buckets such as months.
  const isGrouped = !options.withoutKeys && compiled.keys.length > 0 && compiled.keys.every(({ key }) => key.bucket === null)
  await requireStatementWithinLimits(db, { text: compiled.toSql(options), values, isGrouped }, ctx.queryLimits)
  const dateField = compiled.keys.find(({ used }) => used.field.type === 'instant')?.key.path ?? null
  const rows = await executeStatement<Row>(
    db,
    { text: compiled.toSql({ ...options, limit: MAX_GROUPS + 1 }), values, dateField },
    ctx.queryLimits,
  )
  if (rows.length > MAX_GROUPS)
    throw createInvalidArgumentError('groupBy', `has more than ${MAX_GROUPS} groups: use larger buckets, fewer keys or a filter`)
  return rows
}

interface SmallGroups {
  /** SQL condition that selects the rows of the groups with too few people, which are merged. */
  condition: string
  suppressed: { rows: number; participants: number }
}

/** Finds the result groups of each event that must be merged because they have too few people; null if there are none. */
async function findSmallGroups(
  { db, ctx }: QuerySnapshot,
  compiled: CompiledGroupQuery,
  events: readonly string[],
): Promise<SmallGroups | null> {
  const { plan } = compiled
  const count = async (only: string, options: { withoutKeys?: boolean }) => {
    const text = compiled.toPersonsSql({ only, ...options, limit: MAX_COUNTED_GROUPS + 1 })
    await requireStatementWithinLimits(db, { text, values: plan.values, isGrouped: false }, ctx.queryLimits)
    const rows = await executeStatement<Row>(db, { text, values: plan.values, dateField: null }, ctx.queryLimits)
    if (rows.length > MAX_COUNTED_GROUPS) throw createInvalidArgumentError('groupBy', 'has too many groups: use fewer keys or fewer events')
    return rows.map((row) => ({
      part: String(row['part']),
      key: String(row['key']),
      people: Number(row['people']),
      persons: Number(row['persons']),
    }))
  }
  const countTogether = (groups: readonly { key: string }[]) =>
    count(compiled.isInGroups(groups.map(({ key }) => key)), { withoutKeys: true })
  const groups = await count(`${plan.row}.event_id = any(${plan.bind([...events], 'text[]')})`, {})
  const small = listGroupsBelowMinSize(groups)
  if (small.length === 0) return null
  // The people of all groups with too few people are counted by one query, because one person may be in several groups.
  const counted = await countTogether(small)
  const peopleOf = new Map(counted.map(({ part, persons }) => [part, persons]))
  const merged = [...Map.groupBy(groups, ({ part }) => part)].flatMap(([part, some]) =>
    chooseSuppressedGroups(some, () => peopleOf.get(part) ?? 0),
  )
  const together = merged.length > small.length ? await countTogether(merged) : counted
  return {
    condition: compiled.isInGroups(merged.map(({ key }) => key)),
    suppressed: { rows: merged.length, participants: together.reduce((sum, { people }) => sum + people, 0) },
  }
}

const missingRate = (currency: string) =>
  new AppError(
    'unavailable',
    `There is no exchange rate into ${currency} for each day. Set LANYARD_FX_PROVIDER or LANYARD_FX_FILE, or pass rateOn as a day`,
  )

function readGroup(
  { keys, aggregates, hasCurrencies, hasTestKey }: CompiledGroupQuery,
  { event, scope }: QuerySnapshot,
  row: Row,
): ResultGroup {
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
