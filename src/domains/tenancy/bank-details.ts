import type { Context } from '../../kernel/context.ts'
import type {} from './tables.ts'

/** Where money for a client is sent by bank; null where it tells nobody. */
export async function bankDetailsOf({
  db,
  tenantId,
  client,
}: Pick<Context, 'db' | 'tenantId'> & { client: { id: string } }): Promise<string | null> {
  const { billing } = await db
    .selectFrom('clients')
    .select('billing')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', client.id)
    .executeTakeFirstOrThrow()
  return billing.bankDetails ?? null
}
