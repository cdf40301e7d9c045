import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { databaseTime } from '../../kernel/database-time.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { toMoney } from '../../kernel/money.ts'
import { dayIn, daysBetween } from '../../kernel/time.ts'
import { type EventRow, lockEvent } from '../tenancy/lock-event.ts'
import { EVENT_STATES, getEventRow, toEventRecord } from './event-records.ts'
import { ordersExist } from './orders-exist.ts'

interface Request {
  reason?: string | undefined
  force: boolean
}

/** Ends an event for good: it can be read, cloned and settled, and nothing at it is sold, sent or published any more. */
export async function archiveEvent(ctx: EventContext, { reason, force }: Request) {
  const before = await lockEvent(ctx)
  const status = EVENT_STATES.move(before.status, 'archived')
  const orders = await ordersExist(ctx)
  if (!force) await refuseBeforeItsEnd(ctx, before, orders)
  await ctx.db.updateTable('events').set({ status }).where('tenant_id', '=', ctx.tenantId).where('id', '=', ctx.event.id).execute()
  const jobs = await cancelJobs(ctx)
  recordChange(ctx, {
    kind: 'event',
    id: ctx.event.id,
    before: { status: before.status },
    after: { status, ...(reason === undefined ? {} : { reason }) },
  })
  ctx.effects.add('changes', `event ${ctx.event.id} with ${orders} orders`, { event: before.code, status, orders })
  return {
    event: toEventRecord(ctx.client.code, await getEventRow(ctx)),
    // What has no records yet cannot be going on either.
    stopped: { campaigns: 0, upsells: 0, jobs, alerts: 0, holds: 0, offers: 0, sessionsOfParticipants: 0 },
    openBalance: toMoney(0, before.currency),
    openInvoices: 0,
  }
}

async function refuseBeforeItsEnd(ctx: EventContext, { name, timezone, ends_on }: EventRow, orders: number): Promise<void> {
  const today = dayIn(timezone, await databaseTime(ctx))
  if (ends_on < today) return
  const days = daysBetween(today, ends_on)
  const when = days === 0 ? 'today' : days === 1 ? 'tomorrow' : `in ${days} days`
  const registered = orders === 1 ? '1 complete registration' : `${orders} complete registrations`
  throw preconditionFailed(`${name} ends on ${ends_on}, ${when}, and has ${registered} — pass force: true to archive it all the same`, {
    fix: { ask: `whether ${ctx.event.code} is to be archived before it ends` },
  })
}

/** Those that wait are never begun: a job that ended is not started. */
async function cancelJobs(ctx: EventContext): Promise<number> {
  const cancelled = await ctx.db
    .updateTable('jobs')
    .set({ status: 'failed', error: 'Cancelled: the event was archived', finished_at: sql<Date>`lanyard_now()` })
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('status', '=', 'queued')
    .returning(['id', 'name'])
    .execute()
  for (const { id, name } of cancelled) ctx.effects.add('changes', `job ${id}`, { job: name })
  return cancelled.length
}
