import { sql } from 'kysely'
import type { EventContext } from '../../../kernel/context.ts'
import { readPage } from '../../../kernel/page.ts'
import { eventDb, joinRowsOfSameEvent } from '../../../kernel/scoped-db.ts'
import { buildWordMatchCondition } from '../../../kernel/search.ts'
import { countCappedTotal } from '../../../kernel/totals.ts'
import { getCompany } from '../companies.ts'
import { listBoothNumbers } from '../company-facts.ts'
import { describeAllotment } from './allotment.ts'
import type { StaffRow } from './staff-rows.ts'

interface StaffFilter {
  companyId?: string | undefined
  role?: StaffRow['role'] | undefined
  status?: StaffRow['status'] | undefined
  search?: string | undefined
  limit?: number | undefined
  cursor?: string | undefined
}

const selectStaff = (ctx: EventContext) =>
  eventDb(ctx)
    .selectFrom('exhibitor_staff')
    .innerJoin('companies', (join) => joinRowsOfSameEvent(join, 'companies.id', 'exhibitor_staff.company_id'))
    .selectAll('exhibitor_staff')
    .select('companies.name as company_name')

type ListedStaff = StaffRow & { company_name: string }

const toExhibitor = (row: ListedStaff, boothNumbers: readonly string[]) => ({
  staffId: row.id,
  name: row.name,
  email: row.email,
  role: row.role,
  company: { companyId: row.company_id, name: row.company_name },
  boothNumbers: [...boothNumbers],
  status: row.status,
  pass: row.pass,
  ...(row.participant_id === null ? {} : { participantId: row.participant_id }),
})

async function withBooths(ctx: EventContext, rows: readonly ListedStaff[]) {
  const booths = await listBoothNumbers(ctx, [...new Set(rows.map(({ company_id }) => company_id))])
  return rows.map((row) => toExhibitor(row, booths.get(row.company_id) ?? []))
}

/**
 * Lists booth staff by name. Removed staff are included only on request. If a company is given, its allotment of free passes is included.
 */
export async function listBoothStaff(ctx: EventContext, { limit = 25, cursor, companyId, role, status, search }: StaffFilter) {
  const company = companyId === undefined ? null : await getCompany(ctx, companyId)
  let rows = selectStaff(ctx).where('exhibitor_staff.is_test_data', '=', company?.is_test_data ?? false)
  rows = status === undefined ? rows.where('exhibitor_staff.status', '<>', 'removed') : rows.where('exhibitor_staff.status', '=', status)
  if (company) rows = rows.where('exhibitor_staff.company_id', '=', company.id)
  if (role !== undefined) rows = rows.where('exhibitor_staff.role', '=', role)
  if (search !== undefined)
    rows = rows.where(buildWordMatchCondition(sql`lanyard_searched(exhibitor_staff.name, exhibitor_staff.email, companies.name)`, search))
  const { items, ...page } = await readPage(
    ctx,
    { limit, cursor },
    {
      rows,
      order: [
        { by: sql`exhibitor_staff.name`, type: 'text', of: (row) => row.name },
        { by: sql`exhibitor_staff.id`, type: 'text', of: (row) => row.id },
      ],
      shape: (row) => row,
    },
  )
  return {
    exhibitors: await withBooths(ctx, items),
    ...(company ? { allotment: await describeAllotment(ctx, company) } : {}),
    ...(await countCappedTotal(ctx, rows)),
    ...page,
  }
}

/** Returns the given staff members in the given order, with the company's allotment of free passes. */
export async function describeStaff(ctx: EventContext, companyId: string, staffIds: readonly string[]) {
  const rows = await selectStaff(ctx)
    .where('exhibitor_staff.id', '=', sql<string>`any(${staffIds})`)
    .execute()
  const shown = new Map((await withBooths(ctx, rows)).map((one) => [one.staffId, one]))
  return { exhibitors: staffIds.map((id) => shown.get(id)!), allotment: await describeAllotment(ctx, await getCompany(ctx, companyId)) }
}
