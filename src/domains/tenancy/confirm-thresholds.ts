import type { Context } from '../../kernel/context.ts'
import type {} from './tables.ts'

/** Above these a destructive call must have been dry-run first. */
export async function confirmThresholdsOf(ctx: Context, clientId: string): Promise<{ recipients: number; deletes: number }> {
  return ctx.db
    .selectFrom('clients')
    .select(['confirm_recipients as recipients', 'confirm_deletes as deletes'])
    .where('tenant_id', '=', ctx.tenantId)
    .where('id', '=', clientId)
    .executeTakeFirstOrThrow()
}
