import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { tenantDb } from '../../kernel/scoped-db.ts'

/** Counts one more RFP, response or award of each supplier. */
export async function addToHistory(
  ctx: { db: Db; tenantId: number; client: { id: string } },
  supplierIds: readonly string[],
  counter: 'rfps' | 'responses' | 'awards',
): Promise<void> {
  if (supplierIds.length === 0) return
  await tenantDb(ctx)
    .updateTable('suppliers')
    .set({ [counter]: sql<number>`${sql.ref(counter)} + 1` })
    .where('client_id', '=', ctx.client.id)
    .where('id', 'in', [...supplierIds])
    .execute()
}
