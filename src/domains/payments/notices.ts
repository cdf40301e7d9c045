import { sql } from 'kysely'
import type { CardNotice } from '../../kernel/cards.ts'
import type { Db } from '../../kernel/columns.ts'
import { wakeOutsideCall } from '../../kernel/outside-calls.ts'
import type { JobQueue } from '../../kernel/ports.ts'
import type {} from './tables.ts'

/**
 * Hears what a processor told by itself, once. Nothing in it is booked: the call that it is about asks how things stand, and settles by
 * that. So the order in which notices come, and how often, changes nothing. Returns whether it was about anything of ours.
 */
export async function hearNotice(db: Db, queue: JobQueue, provider: string, notice: CardNotice): Promise<boolean> {
  const about = (await callsOf(db, provider, notice))[0]
  if (!about) return false
  const { tenantId, callId } = about
  const first = await db
    .insertInto('card_notices')
    .values({ tenant_id: tenantId, provider, notice: notice.eventId, type: notice.type })
    .onConflict((conflict) => conflict.doNothing())
    .returning('notice')
    .executeTakeFirst()
  if (first) await wakeOutsideCall({ tenantId, db, queue }, callId)
  return true
}

async function callsOf(db: Db, provider: string, { chargeId, refundId }: CardNotice): Promise<{ tenantId: number; callId: string }[]> {
  const { rows } = await sql<{ tenantId: number; callId: string }>`
    select tenant_id as "tenantId", call_id as "callId" from charges where id = ${chargeId} and provider = ${provider} and call_id is not null
    union all
    select tenant_id, call_id from refunds where id = ${refundId} and provider = ${provider} and call_id is not null`.execute(db)
  return rows
}
