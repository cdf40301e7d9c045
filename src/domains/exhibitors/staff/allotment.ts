import { sql } from 'kysely'
import { count, object } from '../../../kernel/args.ts'
import type { EventConfig } from '../../configuration/schema/event-config.ts'
import type { CompanyRow } from '../companies.ts'
import { listBoothAreas } from '../company/booth-areas.ts'
import { type ExhibitorQueryContext, type ExhibitorContext, readLiveOrTestConfiguration } from '../context.ts'

/** Free staff passes of a company. `used` may exceed the sum of the other numbers after the company has given booths back. */
export const StaffAllotmentShape = object({
  base: count(),
  byArea: count(),
  extra: count(-1_000_000),
  used: count(),
  left: count(),
})

export interface StaffAllotment {
  base: number
  byArea: number
  extra: number
  /** The number of free passes that the company may have. */
  total: number
}

type AllotmentRules = EventConfig['exhibitorConfig']['staffAllotment']

/**
 * Tolerance of areas in square metres. Areas are calculated from coordinates in tenths of millimetres, so 18 m² drawn in feet may differ in
 * the last decimals.
 */
const AREA_TOLERANCE = 1e-6

/**
 * Calculates the free passes of a company: a base number, and passes for every started step of booth area, up to the maximum of the event;
 * then the passes that the organizer added.
 */
export function calculateAllotment({ base, areaStep, perStep, max }: AllotmentRules, areaM2: number, extra: number): StaffAllotment {
  const steps = Math.ceil(areaM2 / areaStep - AREA_TOLERANCE)
  const regular = Math.min(max ?? Infinity, base + perStep * Math.max(0, steps))
  const shownBase = Math.min(base, regular)
  return { base: shownBase, byArea: regular - shownBase, extra, total: Math.max(0, regular + extra) }
}

export async function readAllotment(ctx: ExhibitorContext, company: CompanyRow): Promise<StaffAllotment> {
  const { config } = await readLiveOrTestConfiguration(ctx, company.is_test_data)
  const areas = await listBoothAreas(ctx, company.id)
  const area = areas.reduce((sum, { areaM2 }) => sum + areaM2, 0)
  return calculateAllotment(config.exhibitorConfig.staffAllotment, area, company.staff_extra)
}

/**
 * Locks the counter of a company's free passes until the transaction ends, and sets its limit to the present allotment. Concurrent calls
 * wait here, so that together they never give away more than the allotment. Returns how many passes are used and left.
 */
export async function lockFreePasses(
  ctx: ExhibitorContext,
  company: CompanyRow,
  { moving = 0 } = {},
): Promise<StaffAllotment & { used: number; left: number }> {
  const allotment = await readAllotment(ctx, company)
  const { rows } = await sql<{ used: number }>`
    select staff_passes_fit(${ctx.tenantId}, ${ctx.event.id}, ${company.id}, ${allotment.total}, ${moving}) as used`.execute(ctx.db)
  const { used } = rows[0]!
  return { ...allotment, used, left: Math.max(0, allotment.total - used) }
}

export async function countUsedFreePasses({ db, tenantId, event }: ExhibitorQueryContext, companyId: string): Promise<number> {
  const { rows } = await sql<{ used: number }>`
    select count(*)::int as used from exhibitor_staff
    where tenant_id = ${tenantId} and event_id = ${event.id} and company_id = ${companyId} and status <> 'removed' and pass = 'free'`.execute(
    db,
  )
  return rows[0]!.used
}

export async function describeAllotment(ctx: ExhibitorContext, company: CompanyRow) {
  const { base, byArea, extra, total } = await readAllotment(ctx, company)
  const used = await countUsedFreePasses(ctx, company.id)
  return { base, byArea, extra, used, left: Math.max(0, total - used) }
}
