import { type Selectable, sql } from 'kysely'
import { recordChange } from '../../../kernel/audit.ts'
import type { Tables } from '../../../kernel/columns.ts'
import { foldEmailCase } from '../../../kernel/email-address.ts'
import { notFound, preconditionFailed } from '../../../kernel/errors.ts'
import { newId } from '../../../kernel/ids.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { changeRecordState } from '../../../kernel/states.ts'
import type { CompanyRow } from '../companies.ts'
import type { ExhibitorQueryContext, ExhibitorContext } from '../context.ts'
import { COMPANY_STATES, STAFF_STATES } from '../states.ts'

export type StaffRow = Selectable<Tables['exhibitor_staff']>
export const STAFF_ROLES = ['admin', 'staff', 'contact'] as const

const selectStaff = (ctx: ExhibitorQueryContext) => eventDb(ctx).selectFrom('exhibitor_staff').selectAll()

export async function lockStaff(ctx: ExhibitorQueryContext, staffId: string): Promise<StaffRow> {
  const row = await selectStaff(ctx).where('id', '=', staffId).forNoKeyUpdate().executeTakeFirst()
  if (!row) throw notFound(`No booth staff member ${staffId} at this event`)
  return row
}

export async function findStaffByEmail(ctx: ExhibitorQueryContext, companyId: string, email: string): Promise<StaffRow | null> {
  const row = await selectStaff(ctx)
    .where('company_id', '=', companyId)
    .where('email_norm', '=', foldEmailCase(email))
    .where('status', '<>', 'removed')
    .executeTakeFirst()
  return row ?? null
}

export interface NewStaff {
  name: string
  email: string
  role: StaffRow['role']
  pass: StaffRow['pass']
  orderLineId?: string | null
}

/** Adds a person to a company's booth staff. A free pass must have been counted with `lockFreePasses` first. */
export async function insertStaff(
  ctx: ExhibitorContext,
  company: CompanyRow,
  { orderLineId = null, ...staff }: NewStaff,
): Promise<StaffRow> {
  const row = await ctx.db
    .insertInto('exhibitor_staff')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id: newId(),
      company_id: company.id,
      is_test_data: company.is_test_data,
      order_line_id: orderLineId,
      ...staff,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  recordChange(ctx, { kind: 'exhibitorStaff', id: row.id, after: { companyId: company.id, ...staff } })
  return row
}

/** Marks a staff member as registered. A company becomes active with its first registered admin. */
export async function markStaffRegistered(
  ctx: ExhibitorContext,
  company: CompanyRow,
  staff: StaffRow,
  participantId: string,
): Promise<StaffRow> {
  const columns = { participant_id: participantId }
  const row = await changeRecordState(ctx, STAFF_STATES, staff, 'registered', { columns, audited: { participantId } })
  if (row.role === 'admin' && (company.status === 'prospect' || company.status === 'invited'))
    await changeRecordState(ctx, COMPANY_STATES, company, 'active')
  return row
}

export async function updateStaffRow(
  ctx: ExhibitorContext,
  before: StaffRow,
  columns: Partial<Pick<StaffRow, 'role' | 'company_id' | 'pass'>>,
) {
  const row = await eventDb(ctx)
    .updateTable('exhibitor_staff')
    .set(columns)
    .where('id', '=', before.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  recordChange(ctx, {
    kind: 'exhibitorStaff',
    id: row.id,
    before: { role: before.role, companyId: before.company_id, pass: before.pass },
    after: { role: row.role, companyId: row.company_id, pass: row.pass },
  })
  return row
}

/** Changes the name and email address of a staff member. */
export async function updateStaffNameAndEmail(ctx: ExhibitorContext, before: StaffRow, { name, email }: Pick<StaffRow, 'name' | 'email'>) {
  const row = await eventDb(ctx)
    .updateTable('exhibitor_staff')
    .set({ name, email })
    .where('id', '=', before.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  recordChange(ctx, {
    kind: 'exhibitorStaff',
    id: row.id,
    before: { name: before.name, email: before.email },
    after: { name, email },
  })
  return row
}

export const markStaffRemoved = (ctx: ExhibitorContext, staff: StaffRow): Promise<StaffRow> =>
  changeRecordState(ctx, STAFF_STATES, staff, 'removed')

export const markStaffInvited = (ctx: ExhibitorQueryContext, staffIds: readonly string[]) =>
  eventDb(ctx)
    .updateTable('exhibitor_staff')
    .set({ invited_at: sql<Date>`lanyard_now()` })
    .where('id', '=', sql<string>`any(${staffIds})`)
    .execute()

/**
 * Removes a staff member from leads and appointment slots. Called before the person moves to another company, because both refer to the
 * company's own staff.
 */
export async function removeStaffFromLeadsAndSlots(ctx: ExhibitorQueryContext, staffId: string): Promise<void> {
  for (const table of ['leads', 'offerings'] as const)
    await eventDb(ctx).updateTable(table).set({ staff_id: null }).where('staff_id', '=', staffId).execute()
}

/** Throws if an active company would lose its last admin. The caller has locked the company. */
export async function requireAnotherCompanyAdmin(ctx: ExhibitorQueryContext, company: CompanyRow, staff: StaffRow): Promise<void> {
  if (staff.role !== 'admin' || company.status !== 'active') return
  const other = await selectStaff(ctx)
    .where('company_id', '=', company.id)
    .where('role', '=', 'admin')
    .where('status', '<>', 'removed')
    .where('id', '<>', staff.id)
    .executeTakeFirst()
  if (!other) throw preconditionFailed(`${staff.name} is the last admin of ${company.code}. Make another staff member admin first`)
}
