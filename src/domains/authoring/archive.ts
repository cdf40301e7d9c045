import { sql } from 'kysely'
import { announceToWebhooks } from '../../kernel/announce.ts'
import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { getDatabaseTime } from '../../kernel/database-time.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { cancelQueuedJobs } from '../../kernel/jobs.ts'
import { toMoney } from '../../kernel/money.ts'
import { toDayInZone, daysBetween } from '../../kernel/time.ts'
import { endParticipantSessions } from '../access/participant-sessions.ts'
import { releaseAllHolds } from '../inventory/units.ts'
import { countCompleteRegistrationsByEvent } from '../registration/summary/count-complete.ts'
import { withdrawAllWaitlistOffers } from '../registration/waitlist/waitlist.ts'
import { type EventRow, lockEventRow, changeEventStatus } from '../tenancy/lock-event.ts'
import { EVENT_STATES } from '../tenancy/states.ts'
import { getEventRow, toEventRecord } from './event-records.ts'
import { countOrders } from './count-orders.ts'

interface Request {
  reason?: string | undefined
  force: boolean
}

/** Archives an event permanently. It can still be read, cloned and settled, but nothing is sold, sent or published any more. */
export async function archiveEvent(ctx: EventContext, { reason, force }: Request) {
  const before = await lockEventRow(ctx)
  const status = EVENT_STATES.move(before.status, 'archived')
  const orders = await countOrders(ctx)
  const open = await readOpenMoney(ctx)
  if (open.charges > 0) throw preconditionFailed(`${count(open.charges, 'card charge')} not settled yet — wait until the outcome is known`)
  if (!force) {
    await ensureEnded(ctx, before, (await countCompleteRegistrationsByEvent(ctx, [ctx.event.id])).get(ctx.event.id) ?? 0)
    ensureSettled(ctx, before, open)
  }
  await changeEventStatus(ctx, status)
  const jobs = await cancelQueuedJobs(ctx, 'Cancelled: the event was archived')
  for (const { id, name } of jobs) ctx.effects.add('changes', `job ${id}`, { job: name })
  const offers = await withdrawAllWaitlistOffers(ctx, 'archived')
  const holds = await releaseAllHolds(ctx)
  const sessionsOfParticipants = await endParticipantSessions(ctx)
  announceToWebhooks(ctx, { kind: 'event.archived', entity: 'event', id: ctx.event.id, changed: ['status'], isTestData: false })
  recordChange(ctx, {
    kind: 'event',
    id: ctx.event.id,
    before: { status: before.status },
    after: { status, ...(reason === undefined ? {} : { reason }) },
  })
  ctx.effects.add('changes', `event ${ctx.event.id} with ${orders} orders`, { event: before.code, status, orders })
  return {
    event: toEventRecord(ctx.client.code, await getEventRow(ctx)),
    // The counts of campaigns, upsells and alerts are always zero, because archiving does not stop any of them yet.
    stopped: { campaigns: 0, upsells: 0, jobs: jobs.length, alerts: 0, holds, offers, sessionsOfParticipants },
    openBalance: toMoney(open.balance, before.currency),
    openInvoices: open.invoices,
  }
}

interface OpenMoney {
  balance: number
  invoices: number
  charges: number
}

async function readOpenMoney(ctx: EventContext): Promise<OpenMoney> {
  const at = sql`tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and not is_test_data`
  const { rows } = await sql<OpenMoney>`select
    (select coalesce(sum(balance), 0)::bigint from orders where ${at}) as balance,
    (select count(*)::int from invoices where ${at} and balance > 0) as invoices,
    (select count(*)::int from charges where ${at} and status in ('pending', 'unknown')) as charges`.execute(ctx.db)
  return rows[0]!
}

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`

/** Throws if payments or refunds are outstanding, because they should be settled before the event is archived. */
function ensureSettled(ctx: EventContext, { name, currency }: EventRow, { balance, invoices }: OpenMoney): void {
  if (balance === 0 && invoices === 0) return
  throw preconditionFailed(
    `${toMoney(balance, currency).amount} ${currency} is open at ${name} on ${count(invoices, 'invoice')} — settle or write it off first, or pass force: true`,
    { fix: { ask: `whether to archive ${ctx.event.code} with open money` } },
  )
}

async function ensureEnded(ctx: EventContext, { name, timezone, ends_on }: EventRow, complete: number): Promise<void> {
  const today = toDayInZone(timezone, await getDatabaseTime(ctx))
  if (ends_on < today) return
  const days = daysBetween(today, ends_on)
  const when = days === 0 ? 'today' : days === 1 ? 'tomorrow' : `in ${days} days`
  const registered = complete === 1 ? '1 complete registration' : `${complete} complete registrations`
  throw preconditionFailed(`${name} ends on ${ends_on}, ${when}, and has ${registered} — pass force: true to archive it anyway`, {
    fix: { ask: `whether to archive ${ctx.event.code} before it ends` },
  })
}
