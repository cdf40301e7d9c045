import { eventDb, tenantDb } from '../../kernel/scoped-db.ts'
import type { HousingContext } from '../housing/context.ts'
import { changeRecipientStatus } from './rfps.ts'

/** Marks the recipient of an RFP whose email bounced. A supplier who opened the RFP received an email, so their status does not change. */
export async function markBouncedRecipient(ctx: HousingContext, messageId: string): Promise<void> {
  const message = await tenantDb(ctx)
    .selectFrom('messages')
    .select('source_id')
    .where('id', '=', messageId)
    .where('source_kind', '=', 'rfpRecipient')
    .where('status', '=', 'bounced')
    .executeTakeFirst()
  if (!message) return
  const recipient = await eventDb(ctx)
    .selectFrom('rfp_recipients')
    .selectAll()
    .where('id', '=', message.source_id)
    .where('status', '=', 'sent')
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (recipient) await changeRecipientStatus(ctx, recipient, 'bounced')
}
