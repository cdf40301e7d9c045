import { type RawBuilder, sql } from 'kysely'
import type { EventContext } from '../../../kernel/context.ts'
import { foldEmailCase } from '../../../kernel/email-address.ts'
import { AppError, type FieldError, invalidArguments } from '../../../kernel/errors.ts'
import { parseDecimal } from '../../../kernel/money.ts'
import { createUnknownNameFieldError } from '../../../kernel/nearest.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { buildWordMatchCondition } from '../../../kernel/search.ts'
import { endOfDay, startOfDay } from '../../../kernel/time.ts'
import { findUnknownConfigCodeErrors, type KnownConfigCodes, readKnownConfigCodes } from './known-names.ts'
import { resolveParticipant } from './resolve-participant.ts'
import type { ParticipantStatus, REGISTRATION_SOURCES } from '../tables.ts'

export const BALANCE_FILTERS = ['due', 'credit', 'settled', 'none'] as const

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
  balance?: (typeof BALANCE_FILTERS)[number] | undefined
  source?: (typeof REGISTRATION_SOURCES)[number] | undefined
  createdFrom?: string | undefined
  createdUntil?: string | undefined
  updatedSince?: string | undefined
  custom?: readonly { code: string; value: string }[] | undefined
  country?: string | undefined
  includeTestData: boolean
}

type Condition = RawBuilder<boolean>

/**
 * Builds the SQL conditions of the filters on participants and their own order, which has the table alias `o`. All unknown codes are
 * reported together.
 */
export async function buildParticipantFilterConditions(ctx: EventContext, filter: ParticipantFilter): Promise<Condition[]> {
  for (const personal of ['custom', 'country'] as const)
    if (filter[personal] && !ctx.permissions.has('personal.read'))
      throw new AppError('forbidden', `Forbidden — find_participants by ${personal} requires the personal.read permission`)
  const problems: FieldError[] = []
  const named = [
    ...(await namedConditions(ctx, filter, problems)),
    ...(await groupCondition(ctx, filter, problems)),
    ...(filter.hostId === undefined ? [] : [await hostCondition(ctx, filter.hostId, filter.includeTestData)]),
  ]
  if (filter.createdFrom && filter.createdUntil && filter.createdFrom > filter.createdUntil)
    problems.push({ path: 'createdFrom', message: `${filter.createdFrom} is after createdUntil ${filter.createdUntil}` })
  if (problems.length > 0) throw invalidArguments(problems)
  const found = filter.search ? [await searchCondition(ctx, filter.search)] : []
  return [...named, ...found, ...plainConditions(ctx, filter)]
}

const COMPLETE_EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]{2,}$/

/**
 * Builds the SQL condition of the search text. A complete email address uses the email index, which is a hundred times faster than the text
 * search among a million rows. If no participant has that address, it may be a part of one, and the text search is used.
 */
async function searchCondition(ctx: EventContext, search: string): Promise<Condition> {
  const address = search.trim()
  const isHere = sql<boolean>`participants.email_norm = ${foldEmailCase(address)}`
  if (COMPLETE_EMAIL.test(address)) {
    const { rows } = await sql`
      select from participants where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and ${isHere} limit 1`.execute(ctx.db)
    if (rows.length > 0) return isHere
  }
  return (await findDocumentBuyers(ctx, address)) ?? buildWordMatchCondition(sql`participants.searched`, search)
}

const DOCUMENT_NUMBER = /^[a-z]{1,4}-(?:[a-z0-9]+-)*\d+$/i

/**
 * Finds the participants of an order by its number or by the number of an invoice, credit note or receipt: the order's owner, and everyone
 * it has lines for. Null if the event has no such number.
 */
async function findDocumentBuyers({ tenantId, event, db }: EventContext, search: string): Promise<Condition | null> {
  if (!DOCUMENT_NUMBER.test(search)) return null
  const number = search.toUpperCase()
  const at = sql`d.tenant_id = ${tenantId} and d.event_id = ${event.id}`
  const { rows } = await sql<{ id: string }>`
    select d.id from orders d where ${at} and d.number = ${number}
    union select d.order_id from invoices d where ${at} and d.number = ${number}
    union select d.order_id from payments d where ${at} and d.receipt_number = ${number}
    union select d.order_id from refunds d where ${at} and d.receipt_number = ${number}
    union select d.order_id from payment_reversals d where ${at} and d.receipt_number = ${number}`.execute(db)
  if (rows.length === 0) return null
  const orderIds = rows.map(({ id }) => id)
  return sql<boolean>`participants.id in (
    select d.participant_id from orders d where ${at} and d.id = any(${orderIds})
    union select d.participant_id from order_lines d where ${at} and d.order_id = any(${orderIds}))`
}

function plainConditions({ event }: EventContext, filter: ParticipantFilter): Condition[] {
  const { isGuest, balance, country, source, createdFrom, createdUntil, updatedSince } = filter
  return [
    ...(filter.includeTestData ? [] : [sql<boolean>`not participants.is_test_data`]),
    ...(isGuest === undefined
      ? []
      : [isGuest ? sql<boolean>`participants.host_id is not null` : sql<boolean>`participants.host_id is null`]),
    ...(balance ? [BALANCE_CONDITIONS[balance]] : []),
    ...(country ? [sql<boolean>`participants.country = ${country}`] : []),
    ...(source ? [sql<boolean>`participants.source = ${source}`] : []),
    ...(createdFrom ? [sql<boolean>`participants.created_at >= ${startOfDay(event.timezone, createdFrom)}::timestamptz`] : []),
    ...(createdUntil ? [sql<boolean>`participants.created_at < ${endOfDay(event.timezone, createdUntil)}::timestamptz`] : []),
    ...(updatedSince ? [sql<boolean>`participants.updated_at >= ${updatedSince}::timestamptz`] : []),
  ]
}

/**
 * SQL condition that any amount was ever posted to the order. The stored totals of the order answer this for most orders without reading
 * the ledger.
 */
const HAS_LEDGER_ENTRIES = sql<boolean>`(o.total <> 0 or o.paid <> 0 or exists (
  select from ledger_entries m where m.tenant_id = o.tenant_id and m.event_id = o.event_id and m.order_id = o.id))`

const BALANCE_CONDITIONS: Record<(typeof BALANCE_FILTERS)[number], Condition> = {
  due: sql<boolean>`o.balance > 0`,
  credit: sql<boolean>`o.balance < 0`,
  settled: sql<boolean>`o.balance = 0 and ${HAS_LEDGER_ENTRIES}`,
  none: sql<boolean>`(o.id is null or (o.balance = 0 and not ${HAS_LEDGER_ENTRIES}))`,
}

async function namedConditions(ctx: EventContext, filter: ParticipantFilter, problems: FieldError[]): Promise<Condition[]> {
  const { flowSlug, tagsAll = [], tagsAny = [], tagsNone = [], productCode, waitlistedFor, custom = [] } = filter
  const tags = Object.entries({ tagsAll, tagsAny, tagsNone })
  if (!flowSlug && !productCode && !waitlistedFor && custom.length === 0 && tags.every(([, list]) => list.length === 0)) return []
  const known = await readKnownConfigCodes(ctx)
  for (const [argument, list] of tags)
    problems.push(...list.flatMap((tag, index) => findUnknownConfigCodeErrors(known, 'tag', `${argument}[${index}]`, tag)))
  if (flowSlug) problems.push(...findUnknownConfigCodeErrors(known, 'flow', 'flowSlug', flowSlug))
  if (productCode) problems.push(...findUnknownConfigCodeErrors(known, 'product', 'productCode', productCode))
  if (waitlistedFor) problems.push(...checkTarget(known, waitlistedFor))
  custom.forEach((one, index) => problems.push(...checkAnswerFilter(known, one, `custom[${index}]`)))
  return [
    ...(flowSlug ? [sql<boolean>`participants.flow_slug = ${flowSlug}`] : []),
    ...(tagsAll.length > 0 ? [sql<boolean>`participants.tags @> ${tagsAll}::text[]`] : []),
    ...(tagsAny.length > 0 ? [sql<boolean>`participants.tags && ${tagsAny}::text[]`] : []),
    ...(tagsNone.length > 0 ? [sql<boolean>`not participants.tags && ${tagsNone}::text[]`] : []),
    ...(productCode ? [holdsProduct(ctx, productCode)] : []),
    ...(waitlistedFor ? [isWaitlistedFor(ctx, waitlistedFor)] : []),
    ...custom.map((one) => hasAnswer(known, one)),
  ]
}

/** SQL condition that the participant holds the product, also on the order of a group or host. */
const holdsProduct = ({ tenantId, event }: EventContext, code: string) => sql<boolean>`participants.id in (
  select l.participant_id from order_lines l where l.tenant_id = ${tenantId} and l.event_id = ${event.id} and l.product_code = ${code}
  group by l.participant_id having sum(l.quantity) > 0)`

const isWaitlistedFor = ({ tenantId, event }: EventContext, target: string) => sql<boolean>`participants.id in (
  select w.participant_id from waitlist_entries w where w.tenant_id = ${tenantId} and w.event_id = ${event.id} and w.target = ${target}
    and w.status in ('waiting', 'offered'))`

function checkTarget(known: KnownConfigCodes, target: string): FieldError[] {
  const [, kind, code] = /^(product|flow):(.+)$/.exec(target) ?? []
  if (kind) return findUnknownConfigCodeErrors(known, kind as 'product' | 'flow', 'waitlistedFor', code!)
  return target === 'event' ? [] : [{ path: 'waitlistedFor', message: 'must be product:<code>, flow:<slug> or event' }]
}

const isNumeric = ({ fields }: KnownConfigCodes, code: string) => fields.get(code)?.responseType === 'number'

function checkAnswerFilter(known: KnownConfigCodes, { code, value }: { code: string; value: string }, path: string): FieldError[] {
  if (isNumeric(known, code) && !parseDecimal(value)) return [{ path: `${path}.value`, message: `${code} is a number, such as 12 or 1.5` }]
  return findUnknownConfigCodeErrors(known, 'customField', `${path}.code`, code)
}

/** SQL condition that the participant gave this answer or selected one of these choices. Text is compared without accents and case. */
function hasAnswer(known: KnownConfigCodes, { code, value: given }: { code: string; value: string }): Condition {
  const value = known.toStoredValue(code, given)
  const answer = sql`participants.custom_field_responses -> ${code}`
  if (isNumeric(known, code))
    return sql<boolean>`case when participants.custom_field_responses ->> ${code} ~ '^-?[0-9.]+$' then (participants.custom_field_responses ->> ${code})::numeric = ${value}::numeric else false end`
  return sql<boolean>`case jsonb_typeof(${answer}) when 'array' then jsonb_exists(${answer}, ${value})
    else lanyard_searched(participants.custom_field_responses ->> ${code}) = lanyard_searched(${value}::text) end`
}

async function groupCondition(ctx: EventContext, { groupCode }: ParticipantFilter, problems: FieldError[]): Promise<Condition[]> {
  if (groupCode === undefined) return []
  const groups = await eventDb(ctx)
    .selectFrom('managed_groups')
    .select(['id', 'code'])
    .where('deleted_at', 'is', null)
    .orderBy('code')
    .execute()
  const group = groups.find(({ code }) => code === groupCode)
  if (!group) {
    problems.push(
      createUnknownNameFieldError(
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
