import { sql } from 'kysely'
import type { CardNotice } from '../../kernel/cards.ts'
import type { Db } from '../../kernel/columns.ts'
import { askOutside, wakeOutsideCall } from '../../kernel/outside-calls.ts'
import type { JobQueue } from '../../kernel/ports.ts'
import { takenBackCall } from './taken-back.ts'
import type {} from './tables.ts'

/** Whose it is: a charge, a refund or a card that is left, with the call that asks about it. */
interface About {
  tenantId: number
  eventId: string
  callId: string | null
  /** A charge that was paid: what is told of it later is about money that went back. */
  paidChargeId: string | null
}

/**
 * Hears what a processor told by itself, once, in the transaction of what it causes. Nothing in it is booked: whoever it is about asks how
 * things stand, and settles by that. So the order in which notices come, and how often, changes nothing. Returns whether it was about
 * anything of ours.
 */
export async function hearNotice(db: Db, queue: JobQueue, provider: string, notice: CardNotice): Promise<boolean> {
  const about = await aboutWhat(db, provider, notice)
  const [first] = about
  if (!first) return false
  const heard = await db
    .insertInto('card_notices')
    .values({ tenant_id: first.tenantId, provider, notice: notice.eventId, type: notice.type })
    .onConflict((conflict) => conflict.doNothing())
    .returning('notice')
    .executeTakeFirst()
  if (!heard) return true
  const actor = { kind: 'job' as const, id: provider, name: provider, app: { id: null, name: 'webhook' } }
  for (const { tenantId, eventId, callId, paidChargeId } of about) {
    const ctx = { tenantId, db, queue, actor }
    if (paidChargeId === null && callId !== null) await wakeOutsideCall(ctx, callId)
    if (paidChargeId !== null && notice.takenBack) await askOutside(ctx, takenBackCall, { chargeId: paidChargeId }, { eventId })
  }
  return true
}

async function aboutWhat(db: Db, provider: string, { chargeId, refundId, setupId, providerRef }: CardNotice): Promise<About[]> {
  const { rows } = await sql<About>`
    select c.tenant_id as "tenantId", c.event_id as "eventId", c.call_id as "callId", case when c.status = 'succeeded' then c.id end as "paidChargeId"
    from charges c where c.id = ${chargeId} and c.provider = ${provider}
    union all
    select p.tenant_id, p.event_id, null, c.id from payments p
    join charges c on c.tenant_id = p.tenant_id and c.provider = p.provider and c.provider_ref = p.provider_ref
    where p.provider = ${provider} and p.provider_ref = ${providerRef} and c.status = 'succeeded' and c.id is distinct from ${chargeId}
    union all
    select r.tenant_id, r.event_id, r.call_id, null from refunds r where r.id = ${refundId} and r.provider = ${provider} and r.call_id is not null
    union all
    select s.tenant_id, s.event_id, s.call_id, null from card_setups s where s.id = ${setupId} and s.provider = ${provider}`.execute(db)
  return rows
}
