import type { Context } from '../../kernel/context.ts'
import { tenantDb } from '../../kernel/scoped-db.ts'

/** Reads the client's thresholds (such as recipients or deletions) above which a destructive call requires a dry run first. */
export async function readConfirmThresholds(ctx: Context, clientId: string): Promise<{ recipients: number; deletes: number }> {
  return tenantDb(ctx)
    .selectFrom('clients')
    .select(['confirm_recipients as recipients', 'confirm_deletes as deletes'])
    .where('id', '=', clientId)
    .executeTakeFirstOrThrow()
}
