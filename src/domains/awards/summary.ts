import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { sumMinorUnits, toMoney } from '../../kernel/money.ts'
import { readTodayAtEvent } from '../housing/context.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { addDays, formatInstant } from '../../kernel/time.ts'
import { listPendingSourcingTasks } from './actions.ts'

export const SOURCING_SUMMARY_PARTS = ['briefs', 'rfps', 'contracts', 'milestones'] as const
export type SummaryPart = (typeof SOURCING_SUMMARY_PARTS)[number]

type Counts = Record<string, number>

/** Returns the progress of the event's sourcing: records by state, awarded amounts, the next dates and the organizer's pending actions. */
export async function getSourcingSummary(ctx: EventContext, { include = [] }: { include?: readonly SummaryPart[] | undefined }) {
  const today = await readTodayAtEvent(ctx)
  return {
    counts: await countStates(ctx),
    responses: await countResponses(ctx),
    ...(await sumMoney(ctx)),
    nextDates: await listNextDates(ctx, today),
    actions: await listPendingSourcingTasks(ctx, today),
    ...(await listIncluded(ctx, include)),
  }
}

async function countStates({ db, tenantId, event }: EventContext) {
  const { rows } = await sql<{ record: string; status: string; n: number }>`
    select record, status, count(*)::int as n from (
      select 'briefs' as record, status from briefs where tenant_id = ${tenantId} and event_id = ${event.id}
      union all select 'rfps', status from rfps where tenant_id = ${tenantId} and event_id = ${event.id}
      union all select 'recipients', status from rfp_recipients where tenant_id = ${tenantId} and event_id = ${event.id}
      union all select 'awards', status from awards where tenant_id = ${tenantId} and event_id = ${event.id}
      union all select 'contracts', status from supplier_contracts where tenant_id = ${tenantId} and event_id = ${event.id}
      union all select 'envelopes', status from signature_envelopes where tenant_id = ${tenantId} and event_id = ${event.id}
      union all select 'milestones', status from milestones where tenant_id = ${tenantId} and event_id = ${event.id}
    ) x group by 1, 2 order by 1, 2`.execute(db)
  const counts: Record<'briefs' | 'rfps' | 'recipients' | 'awards' | 'contracts' | 'envelopes' | 'milestones', Counts> = {
    briefs: {},
    rfps: {},
    recipients: {},
    awards: {},
    contracts: {},
    envelopes: {},
    milestones: {},
  }
  for (const { record, status, n } of rows) counts[record as keyof typeof counts][status] = n
  return counts
}

/** Counts the suppliers who received an RFP, by how they answered. An awarded or declined supplier counts as one who responded. */
async function countResponses({ db, tenantId, event }: EventContext) {
  const { rows } = await sql<{ expected: number; received: number; turnedDown: number }>`
    select count(*) filter (where status <> 'notSent')::int as expected,
      count(*) filter (where submitted_at is not null and status <> 'withdrawn' and status <> 'turnedDown')::int as received,
      count(*) filter (where status = 'turnedDown')::int as "turnedDown"
    from rfp_recipients where tenant_id = ${tenantId} and event_id = ${event.id}`.execute(db)
  return rows[0]!
}

interface CurrencySums {
  currency: string
  awarded: number
  contracted: number
  signed: number
}

/** Sums the gross amounts that are awarded, under contract and signed, by currency. A contract counts with the amount of its award line. */
async function sumMoney(ctx: EventContext) {
  const { rows } = await sql<CurrencySums>`
    select a.currency, sum(a.total)::bigint as awarded, coalesce(sum(c.contracted), 0)::bigint as contracted,
      coalesce(sum(c.signed), 0)::bigint as signed
    from awards a left join lateral (
      select sum((a.lines -> k.line_index ->> 'gross')::bigint) as contracted,
        sum((a.lines -> k.line_index ->> 'gross')::bigint) filter (where k.status = 'executed') as signed
      from supplier_contracts k where k.tenant_id = a.tenant_id and k.event_id = a.event_id and k.award_id = a.id
    ) c on true
    where a.tenant_id = ${ctx.tenantId} and a.event_id = ${ctx.event.id} and a.status = 'executed'
    group by 1 order by 1`.execute(ctx.db)
  const own = rows.filter(({ currency }) => currency === ctx.event.currency)
  const sum = (of: (row: CurrencySums) => number) => toMoney(sumMinorUnits(own.map((row) => Number(of(row)))), ctx.event.currency)
  return {
    awarded: sum(({ awarded }) => awarded),
    contracted: sum(({ contracted }) => contracted),
    signed: sum(({ signed }) => signed),
    otherCurrencies: rows
      .filter(({ currency }) => currency !== ctx.event.currency)
      .map(({ currency, awarded, contracted, signed }) => ({
        awarded: toMoney(Number(awarded), currency),
        contracted: toMoney(Number(contracted), currency),
        signed: toMoney(Number(signed), currency),
      })),
  }
}

const MAX_DATES = 10

async function listNextDates({ db, tenantId, event }: EventContext, today: string) {
  const { rows } = await sql<{ on: string; what: string; id: string }>`
    select x.on::text as "on", x.what, x.id from (
      select (response_due_at at time zone ${event.timezone})::date as on, 'responsesDue' as what, id from rfps
      where tenant_id = ${tenantId} and event_id = ${event.id} and status = 'distributed'
      union all select decision_on, 'decision', id from rfps
      where tenant_id = ${tenantId} and event_id = ${event.id} and status in ('distributed', 'closed')
      union all select (expires_at at time zone ${event.timezone})::date, 'signaturesDue', contract_id from signature_envelopes
      where tenant_id = ${tenantId} and event_id = ${event.id} and status in ('created', 'sent', 'delivered')
      union all select due_on, 'milestone.' || code, contract_id from milestones
      where tenant_id = ${tenantId} and event_id = ${event.id} and status in ('upcoming', 'due')
    ) x where x.on >= ${today}::date and x.on <= ${addDays(today, 366)}::date order by 1, 2, 3 limit ${MAX_DATES}`.execute(db)
  return rows
}

const MAX_LISTED = 100

/** Lists the briefs, RFPs and other records that the caller requests with `include`. */
async function listIncluded(ctx: EventContext, include: readonly SummaryPart[]) {
  const asked = new Set(include)
  return {
    ...(asked.has('briefs') ? { briefs: await briefsOf(ctx) } : {}),
    ...(asked.has('rfps') ? { rfps: await rfpsOf(ctx) } : {}),
    ...(asked.has('contracts') ? { contracts: await contractsOf(ctx) } : {}),
    ...(asked.has('milestones') ? { milestones: await milestonesOf(ctx) } : {}),
  }
}

const briefsOf = (ctx: EventContext) =>
  eventDb(ctx)
    .selectFrom('briefs')
    .select(['id', 'title', 'status', 'version'])
    .orderBy('created_at')
    .orderBy('id')
    .limit(MAX_LISTED)
    .execute()

async function rfpsOf(ctx: EventContext) {
  const rows = await eventDb(ctx)
    .selectFrom('rfps')
    .select(['id', 'number', 'title', 'status', 'response_due_at'])
    .orderBy('number')
    .limit(MAX_LISTED)
    .execute()
  return rows.map(({ response_due_at, ...rfp }) => ({ ...rfp, responseDueAt: formatInstant(response_due_at) }))
}

const contractsOf = (ctx: EventContext) =>
  eventDb(ctx)
    .selectFrom('supplier_contracts')
    .select(['id', 'number', 'status', 'current_version as version'])
    .orderBy('number')
    .limit(MAX_LISTED)
    .execute()

const milestonesOf = (ctx: EventContext) =>
  eventDb(ctx)
    .selectFrom('milestones')
    .select(['contract_id as contractId', 'code', 'due_on as dueOn', 'status'])
    .orderBy('due_on')
    .orderBy('code')
    .orderBy('id')
    .limit(MAX_LISTED)
    .execute()
