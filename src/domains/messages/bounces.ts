import { sql } from 'kysely'
import { announce, type AnnouncementScope } from '../../kernel/announce.ts'
import type { Context } from '../../kernel/context.ts'

export interface Bounce {
  id: string
  /** Lease token of the attempt to deliver the email. */
  lease: string
  reason: string
}

export async function recordBounce(
  ctx: Pick<Context, 'db' | 'tenantId'> & AnnouncementScope,
  { id, lease, reason }: Bounce,
): Promise<void> {
  const { rows } = await sql`
    update messages set status = 'bounced', last_error = ${JSON.stringify({ text: reason })}::jsonb, lease_until = null, lease_token = null
    where tenant_id = ${ctx.tenantId} and id = ${id} and status = 'handed' and lease_token = ${lease} returning 1`.execute(ctx.db)
  if (rows.length > 0) announce(ctx, { kind: 'email.bounced', entity: 'email', id, changed: ['status'], isTestData: false })
}
