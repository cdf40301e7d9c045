import { eventDb } from '../../../kernel/scoped-db.ts'
import type { CompanyRow } from '../companies.ts'
import type { ExhibitorContext } from '../context.ts'
import { readAllotment } from '../staff/allotment.ts'

/**
 * Lists the staff with free passes beyond the number that the company now has: those who were added last. Organizers decide whether these
 * staff keep their passes.
 */
export async function listStaffAboveAllotment(ctx: ExhibitorContext, company: CompanyRow): Promise<{ staffId: string; name: string }[]> {
  const { total } = await readAllotment(ctx, company)
  const rows = await eventDb(ctx)
    .selectFrom('exhibitor_staff')
    .select(['id', 'name'])
    .where('company_id', '=', company.id)
    .where('status', '<>', 'removed')
    .where('pass', '=', 'free')
    .orderBy('created_at')
    .orderBy('id')
    .offset(total)
    .execute()
  return rows.map(({ id, name }) => ({ staffId: id, name }))
}
