import { sql } from 'kysely'
import { announce, type Announcing } from '../../kernel/announce.ts'
import type { Context } from '../../kernel/context.ts'

export interface Bounce {
  id: string
  /** Of whoever handed the mail over. */
  lease: string
  reason: string
}

/** Writes down that the address of a mail does not exist, and has it told to those who listen. */
export async function noteBounce(ctx: Pick<Context, 'db' | 'tenantId'> & Announcing, { id, lease, reason }: Bounce): Promise<void> {
  const { rows } = await sql`
    update messages set status = 'bounced', last_error = ${JSON.stringify({ text: reason })}::jsonb, lease_until = null, lease_token = null
    where tenant_id = ${ctx.tenantId} and id = ${id} and status = 'handed' and lease_token = ${lease} returning 1`.execute(ctx.db)
  if (rows.length > 0) announce(ctx, { kind: 'email.bounced', entity: 'email', id, changed: ['status'], isTestData: false })
}
