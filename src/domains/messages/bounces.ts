import { announceToWebhooks, type WebhookAnnouncementScope } from '../../kernel/announce.ts'
import type { Context } from '../../kernel/context.ts'
import { changeStateOfRows } from '../../kernel/states.ts'
import { tenantDb } from '../../kernel/scoped-db.ts'
import { EMAIL_STATES } from '../../kernel/work-states.ts'

export interface Bounce {
  id: string
  /** Lease token of the delivery attempt that the bounced email belongs to. */
  lease: string
  reason: string
}

export async function recordBounce(
  ctx: Pick<Context, 'db' | 'tenantId'> & WebhookAnnouncementScope,
  { id, lease, reason }: Bounce,
): Promise<void> {
  const rows = await changeStateOfRows(tenantDb(ctx), EMAIL_STATES, 'bounced')
    .set({ last_error: JSON.stringify({ text: reason }), lease_until: null, lease_token: null })
    .where('id', '=', id)
    .where('status', '=', 'handed')
    .where('lease_token', '=', lease)
    .returning('id')
    .execute()
  if (rows.length > 0) announceToWebhooks(ctx, { kind: 'email.bounced', entity: 'email', id, changed: ['status'], isTestData: false })
}
