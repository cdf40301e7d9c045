import { sql } from 'kysely'
import { tenantDb } from '../../kernel/scoped-db.ts'
import type { EventScope } from '../housing/context.ts'

/** Counts an RFP that a supplier received, a response or an award. */
export async function countHistory(ctx: EventScope, supplierId: string, what: 'rfps' | 'responses' | 'awards'): Promise<void> {
  await tenantDb(ctx)
    .updateTable('suppliers')
    .set({ [what]: sql`${sql.ref(what)} + 1` })
    .where('client_id', '=', ctx.client.id)
    .where('id', '=', supplierId)
    .execute()
}
