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
import type { Db } from '../../kernel/columns.ts'

/** Counts one more RFP, response or award of each supplier. */
export async function addToHistory(
  ctx: { db: Db; tenantId: number; client: { id: string } },
  supplierIds: readonly string[],
  counter: 'rfps' | 'responses' | 'awards',
): Promise<void> {
  if (supplierIds.length === 0) return
    .set({ [counter]: sql<number>`${sql.ref(counter)} + 1` })
    .where('id', 'in', [...supplierIds])
    .execute()
}
