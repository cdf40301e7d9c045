import type { Context } from '../../kernel/context.ts'
import { tenantDb } from '../../kernel/scoped-db.ts'

/** Returns the client's bank details for transfers; null if not set. */
export async function readBankDetails(ctx: Pick<Context, 'db' | 'tenantId'> & { client: { id: string } }): Promise<string | null> {
  const { billing } = await tenantDb(ctx).selectFrom('clients').select('billing').where('id', '=', ctx.client.id).executeTakeFirstOrThrow()
  return billing.bankDetails ?? null
}
