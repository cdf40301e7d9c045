import { type RawBuilder, sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { AppError, type FieldError, invalidArguments } from '../../kernel/errors.ts'
import { parseDecimal } from '../../kernel/money.ts'
import { unknownFault } from '../../kernel/nearest.ts'
import { matchesWords } from '../../kernel/search.ts'
import { endOfDay, startOfDay } from '../../kernel/time.ts'
import { faultsOfName, type KnownNames, readKnownNames } from './known-names.ts'
import { resolveParticipant } from './named-participant.ts'
import type { ParticipantStatus, SOURCES } from './tables.ts'

export const BALANCES = ['due', 'credit', 'settled', 'none'] as const

export interface ParticipantFilter {
  search?: string | undefined
  status?: readonly ParticipantStatus[] | undefined
  flowSlug?: string | undefined
  tagsAll?: readonly string[] | undefined
  tagsAny?: readonly string[] | undefined
  tagsNone?: readonly string[] | undefined
  groupCode?: string | undefined
  productCode?: string | undefined
  waitlistedFor?: string | undefined
  hostId?: string | undefined
  isGuest?: boolean | undefined
  balance?: (typeof BALANCES)[number] | undefined
  source?: (typeof SOURCES)[number] | undefined
  createdFrom?: string | undefined
  createdUntil?: string | undefined
  updatedSince?: string | undefined
  custom?: readonly { code: string; value: string }[] | undefined
  includeTestData: boolean
}

type Condition = RawBuilder<boolean>

/** What a participant with their own order `o` has to be. Names that the event does not have are refused, all at once. */
export async function conditionsOf(ctx: EventContext, filter: ParticipantFilter): Promise<Condition[]> {
  if (filter.custom && !ctx.permissions.has('personal.read'))
    throw new AppError('forbidden', 'Forbidden — find_participants by custom requires the personal.read permission')
  const faults: FieldError[] = []
  const named = [
    ...(await namedConditions(ctx, filter, faults)),
    ...(await groupCondition(ctx, filter, faults)),
    ...(filter.hostId === undefined ? [] : [await hostCondition(ctx, filter.hostId, filter.includeTestData)]),
  ]
  if (filter.createdFrom && filter.createdUntil && filter.createdFrom > filter.createdUntil)
    faults.push({ path: 'createdFrom', message: `${filter.createdFrom} is after createdUntil ${filter.createdUntil}` })
  if (faults.length > 0) throw invalidArguments(faults)
  const found = filter.search ? [await searchCondition(ctx, filter.search)] : []
  return [...named, ...found, ...plainConditions(ctx, filter)]
}

const WHOLE_ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@]{2,}$/

/**
 * Whoever types a whole address means that one: it is looked up, which among a million is a hundred times quicker than to look for its parts in
 * all that is searched. What only looks whole, because nobody has it, may be a part of one and is searched for like any other word.
 */
async function searchCondition(ctx: EventContext, search: string): Promise<Condition> {
  const address = search.trim()
  const isHere = sql<boolean>`participants.email_norm = lower(${address})`
  if (WHOLE_ADDRESS.test(address)) {
    const { rows } = await sql`
      select from participants where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and ${isHere} limit 1`.execute(ctx.db)
    if (rows.length > 0) return isHere
  }
  return matchesWords(sql`participants.searched`, search)
}

function plainConditions({ event }: EventContext, filter: ParticipantFilter): Condition[] {
  const { isGuest, balance, source, createdFrom, createdUntil, updatedSince } = filter
  return [
    ...(filter.includeTestData ? [] : [sql<boolean>`not participants.is_test_data`]),
    ...(isGuest === undefined
      ? []
      : [isGuest ? sql<boolean>`participants.host_id is not null` : sql<boolean>`participants.host_id is null`]),
    ...(balance ? [BALANCE_CONDITIONS[balance]] : []),
    ...(source ? [sql<boolean>`participants.source = ${source}`] : []),
    ...(createdFrom ? [sql<boolean>`participants.created_at >= ${startOfDay(event.timezone, createdFrom)}::timestamptz`] : []),
    ...(createdUntil ? [sql<boolean>`participants.created_at < ${endOfDay(event.timezone, createdUntil)}::timestamptz`] : []),
    ...(updatedSince ? [sql<boolean>`participants.updated_at >= ${updatedSince}::timestamptz`] : []),
  ]
}

/** Money ever moved on the order; one of which nothing did is as good as none. Of most orders their sums tell. */
const MOVED = sql<boolean>`(o.total <> 0 or o.paid <> 0 or exists (
  select from ledger_entries m where m.tenant_id = o.tenant_id and m.event_id = o.event_id and m.order_id = o.id))`

const BALANCE_CONDITIONS: Record<(typeof BALANCES)[number], Condition> = {
  due: sql<boolean>`o.balance > 0`,
  credit: sql<boolean>`o.balance < 0`,
  settled: sql<boolean>`o.balance = 0 and ${MOVED}`,
  none: sql<boolean>`(o.id is null or (o.balance = 0 and not ${MOVED}))`,
}

async function namedConditions(ctx: EventContext, filter: ParticipantFilter, faults: FieldError[]): Promise<Condition[]> {
  const { flowSlug, tagsAll = [], tagsAny = [], tagsNone = [], productCode, waitlistedFor, custom = [] } = filter
  const tags = Object.entries({ tagsAll, tagsAny, tagsNone })
  if (!flowSlug && !productCode && !waitlistedFor && custom.length === 0 && tags.every(([, list]) => list.length === 0)) return []
  const known = await readKnownNames(ctx)
  for (const [argument, list] of tags)
    faults.push(...list.flatMap((tag, index) => faultsOfName(known, 'tag', `${argument}[${index}]`, tag)))
  if (flowSlug) faults.push(...faultsOfName(known, 'flow', 'flowSlug', flowSlug))
  if (productCode) faults.push(...faultsOfName(known, 'product', 'productCode', productCode))
  if (waitlistedFor) faults.push(...faultsOfTarget(known, waitlistedFor))
  custom.forEach((one, index) => faults.push(...faultsOfAnswer(known, one, `custom[${index}]`)))
  return [
    ...(flowSlug ? [sql<boolean>`participants.flow_slug = ${flowSlug}`] : []),
    ...(tagsAll.length > 0 ? [sql<boolean>`participants.tags @> ${tagsAll}::text[]`] : []),
    ...(tagsAny.length > 0 ? [sql<boolean>`participants.tags && ${tagsAny}::text[]`] : []),
    ...(tagsNone.length > 0 ? [sql<boolean>`not participants.tags && ${tagsNone}::text[]`] : []),
    ...(productCode ? [holds(ctx, productCode)] : []),
    ...(waitlistedFor ? [waitsFor(ctx, waitlistedFor)] : []),
    ...custom.map((one) => answered(known, one)),
  ]
}

/** Whoever pays for it. */
const holds = ({ tenantId, event }: EventContext, code: string) => sql<boolean>`participants.id in (
  select l.participant_id from order_lines l where l.tenant_id = ${tenantId} and l.event_id = ${event.id} and l.product_code = ${code}
  group by l.participant_id having sum(l.quantity) > 0)`

const waitsFor = ({ tenantId, event }: EventContext, target: string) => sql<boolean>`participants.id in (
  select w.participant_id from waitlist_entries w where w.tenant_id = ${tenantId} and w.event_id = ${event.id} and w.target = ${target}
    and w.status in ('waiting', 'offered'))`

function faultsOfTarget(known: KnownNames, target: string): FieldError[] {
  const [, kind, code] = /^(product|flow):(.+)$/.exec(target) ?? []
  if (kind) return faultsOfName(known, kind as 'product' | 'flow', 'waitlistedFor', code!)
  return target === 'event' ? [] : [{ path: 'waitlistedFor', message: 'is written product:<code>, flow:<slug> or event' }]
}

const isNumeric = ({ fields }: KnownNames, code: string) => fields.get(code)?.responseType === 'number'

function faultsOfAnswer(known: KnownNames, { code, value }: { code: string; value: string }, path: string): FieldError[] {
  if (isNumeric(known, code) && !parseDecimal(value)) return [{ path: `${path}.value`, message: `${code} is a number, such as 12 or 1.5` }]
  return faultsOfName(known, 'customField', `${path}.code`, code)
}

/** The same answer, or one of several; texts as they are searched, without regard to accents and capitals. */
function answered(known: KnownNames, { code, value }: { code: string; value: string }): Condition {
  const answer = sql`participants.custom_field_responses -> ${code}`
  if (isNumeric(known, code))
    return sql<boolean>`case when participants.custom_field_responses ->> ${code} ~ '^-?[0-9.]+$' then (participants.custom_field_responses ->> ${code})::numeric = ${value}::numeric else false end`
  return sql<boolean>`case jsonb_typeof(${answer}) when 'array' then jsonb_exists(${answer}, ${value})
    else lanyard_searched(participants.custom_field_responses ->> ${code}) = lanyard_searched(${value}::text) end`
}

async function groupCondition(ctx: EventContext, { groupCode }: ParticipantFilter, faults: FieldError[]): Promise<Condition[]> {
  if (groupCode === undefined) return []
  const groups = await ctx.db
    .selectFrom('managed_groups')
    .select(['id', 'code'])
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('deleted_at', 'is', null)
    .orderBy('code')
    .execute()
  const group = groups.find(({ code }) => code === groupCode)
  if (!group) {
    faults.push(
      unknownFault(
        'groupCode',
        groupCode,
        groups.map(({ code }) => code),
        'group',
      ),
    )
    return []
  }
  return [sql<boolean>`participants.group_id = ${group.id}`]
}

async function hostCondition(ctx: EventContext, named: string, includeTestData: boolean): Promise<Condition> {
  const host = await resolveParticipant(ctx, named, { includeTestData })
  return sql<boolean>`participants.host_id = ${host.id}`
}
