import { sql } from 'kysely'
import type { CardProcessorNotification } from '../../kernel/cards.ts'
import type { Db } from '../../kernel/columns.ts'
import { scheduleExternalCall, makeExternalCallDueNow } from '../../kernel/external-calls.ts'
import type { JobQueue } from '../../kernel/ports.ts'
import { processorReversalsCall } from './processor-reversals.ts'

/** The charge, refund or card setup that a webhook notice of the payment processor is about, with the stored request to the processor. */
interface NoticeSubject {
  tenantId: number
  eventId: string
  callId: string | null
  /** The id of the charge if it is already paid. Later notices about a paid charge are about refunds and disputes. */
  paidChargeId: string | null
}

/**
 * Handles a webhook notice of the payment processor once. The notice itself books nothing: it makes the stored external call (a request to
 * the processor) run now, which reads the current state from the processor. So order, repetition and forgery of notices do not matter.
 * Returns whether the notice concerns a known charge, refund or card setup.
 */
export async function handleProcessorNotification(
  db: Db,
  queue: JobQueue,
  provider: string,
  notice: CardProcessorNotification,
): Promise<boolean> {
  const about = await findNoticeSubjects(db, provider, notice)
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
    if (paidChargeId === null && callId !== null) await makeExternalCallDueNow(ctx, callId)
    if (paidChargeId !== null && notice.takenBack)
      await scheduleExternalCall(ctx, processorReversalsCall, { chargeId: paidChargeId }, { eventId })
  }
  return true
}

async function findNoticeSubjects(
  db: Db,
  provider: string,
  { chargeId, refundId, setupId, providerRef }: CardProcessorNotification,
): Promise<NoticeSubject[]> {
  const { rows } = await sql<NoticeSubject>`
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
