import { type SelectQueryBuilder, sql } from 'kysely'
import type { Context } from '../../kernel/context.ts'
import type { Tables } from '../../kernel/columns.ts'
import { conflict, invalidArguments, notFound, preconditionFailed, SerializationConflict } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { type RecordEdit, lockRecord, type NewRecord, planEdit, auditNewRecord, saveEdit, toRecordColumns } from '../../kernel/records.ts'
import { tenantDb } from '../../kernel/scoped-db.ts'
import { getSupplierIdentity } from './identity.ts'
import { SUPPLIER_RECORD } from './supplier-record.ts'
import type { SupplierRow, SupplierFactOrigin } from './tables.ts'

/** The client whose suppliers are read or changed. */
export type SupplierScope = Pick<Context, 'db' | 'tenantId'> & { client: { id: string } }
export type SupplierChangeScope = SupplierScope & Pick<Context, 'audit'>

export const selectClientSuppliers = (ctx: SupplierScope): SelectQueryBuilder<Tables, 'suppliers', object> =>
  tenantDb(ctx).selectFrom('suppliers').where('suppliers.client_id', '=', ctx.client.id)

const unknownSupplier = (id: string) => notFound(`No supplier ${id}. Use search_suppliers to find suppliers`)

export async function getSupplier(ctx: SupplierScope, supplierId: string): Promise<SupplierRow> {
  const row = await selectClientSuppliers(ctx).selectAll().where('id', '=', supplierId).executeTakeFirst()
  if (!row) throw unknownSupplier(supplierId)
  return row
}

export async function lockSupplier(ctx: SupplierScope, supplierId: string): Promise<SupplierRow> {
  const row = await lockRecord(ctx, SUPPLIER_RECORD, { tenant_id: ctx.tenantId, client_id: ctx.client.id, id: supplierId })
  if (!row) throw unknownSupplier(supplierId)
  return row
}

/** Increments the number of RFPs received, RFPs responded to, or awards of suppliers. */
export async function incrementSupplierHistoryCount(
  ctx: SupplierScope,
  supplierIds: readonly string[],
  what: 'rfps' | 'responses' | 'awards',
): Promise<void> {
  if (supplierIds.length === 0) return
  // Suppliers are updated in the order of their ids, so that concurrent transactions do not deadlock.
  await sql`
    with locked as (
      select tenant_id, client_id, id from suppliers
      where tenant_id = ${ctx.tenantId} and client_id = ${ctx.client.id} and id = any(${[...supplierIds]}) order by id for no key update)
    update suppliers s set ${sql.ref(what)} = s.${sql.ref(what)} + 1
    from locked l where s.tenant_id = l.tenant_id and s.client_id = l.client_id and s.id = l.id`.execute(ctx.db)
}

export type NewSupplier = Partial<NewRecord<typeof SUPPLIER_RECORD>> & Pick<NewRecord<typeof SUPPLIER_RECORD>, 'name' | 'kind'>

/** Creates an unverified supplier. If a concurrent transaction creates the same supplier, this transaction is retried and finds it. */
export async function createSupplier(
  ctx: SupplierChangeScope,
  values: NewSupplier,
  { source, catalogRef = null }: { source: SupplierFactOrigin; catalogRef?: string | null },
): Promise<SupplierRow> {
  const row = await ctx.db
    .insertInto('suppliers')
    .values({
      tenant_id: ctx.tenantId,
      client_id: ctx.client.id,
      id: newId(),
      ...toRecordColumns(SUPPLIER_RECORD, values),
      name: values.name,
      kind: values.kind,
      identity: getSupplierIdentity(values.name, values.address ?? {}),
      sources: JSON.stringify([source]),
      catalog_ref: catalogRef,
    })
    .onConflict((on) => on.doNothing())
    .returningAll()
    .executeTakeFirst()
  if (!row) throw new SerializationConflict('another transaction has created this supplier')
  auditNewRecord(ctx, SUPPLIER_RECORD, row)
  return row
}

/** Creates a supplier that an organizer entered. Throws if the client already has this supplier. */
export async function createSupplierByHand(ctx: SupplierChangeScope, values: NewSupplier, at: string): Promise<SupplierRow> {
  refuseHalfPoint(values.latitude ?? null, values.longitude ?? null)
  const same = await findSupplierByIdentity(ctx, getSupplierIdentity(values.name, values.address ?? {}))
  if (same) throw alreadyKnown(same)
  return createSupplier(ctx, values, { source: { kind: 'typed', at } })
}

function refuseHalfPoint(latitude: number | null, longitude: number | null): void {
  if ((latitude === null) !== (longitude === null))
    throw invalidArguments([{ path: latitude === null ? 'latitude' : 'longitude', message: 'latitude and longitude belong together' }])
}

const alreadyKnown = ({ id, name }: SupplierRow) => conflict(`${name} has the same name and place already, with the id ${id}`)

export type SupplierEdit = RecordEdit<typeof SUPPLIER_RECORD>

/** Changes the given fields of a supplier. Throws if another supplier of the client has the same name and address. */
export async function editSupplier(
  ctx: SupplierChangeScope,
  before: SupplierRow,
  edit: SupplierEdit,
  source?: SupplierFactOrigin,
): Promise<{ row: SupplierRow; changed: string[] }> {
  const planned = planEdit(SUPPLIER_RECORD, before, edit)
  const { latitude = before.latitude, longitude = before.longitude } = planned.columns as Partial<SupplierRow>
  refuseHalfPoint(latitude, longitude)
  if (planned.changed.length === 0) return { row: before, changed: [] }
  const identity = getSupplierIdentity(edit.name ?? before.name, edit.address ?? (edit.clear?.includes('address') ? {} : before.address))
  const same = identity === before.identity ? null : await findSupplierByIdentity(ctx, identity)
  if (same && same.id !== before.id) throw alreadyKnown(same)
  const sources = source === undefined ? {} : { sources: JSON.stringify([...before.sources, source]) }
  return saveEdit(ctx, planned, { identity, ...sources })
}

export const findSupplierByIdentity = async (ctx: SupplierScope, identity: string): Promise<SupplierRow | null> =>
  (await selectClientSuppliers(ctx).selectAll().where('identity', '=', identity).executeTakeFirst()) ?? null

/** Verifies, blocks or unblocks a supplier. */
export async function setSupplierStatus(ctx: SupplierChangeScope, supplierId: string, status: SupplierRow['status']): Promise<SupplierRow> {
  const before = await lockSupplier(ctx, supplierId)
  if (before.status === status) throw preconditionFailed(`${before.name} is ${status} already`)
  return (await saveEdit(ctx, planEdit(SUPPLIER_RECORD, before, {}), { status })).row
}
