import { sql } from 'kysely'
import type { EventContext } from '../../../kernel/context.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import type { EventConfig } from '../../configuration/schema/event-config.ts'
import { TENTHS_OF_MM_PER_METRE, toTenthsOfMillimetres, type PlanUnits } from '../floor/plan-shapes.ts'
import { computePolygonArea } from '../floor/polygons.ts'
import type { BoothPreferences } from '../tables.ts'
import type { ExhibitedSpaceFilter } from './exhibited-space.ts'

/** Reads the unsold space of an event, and the space that companies without a booth have applied for, in square tenths of millimetres. */
export async function readUnsoldAndRequestedSpace(
  ctx: EventContext,
  { exhibitorConfig }: Pick<EventConfig, 'exhibitorConfig'>,
  { zoneCode, categories }: Pick<ExhibitedSpaceFilter, 'zoneCode' | 'categories'>,
) {
  const plans = await eventDb(ctx)
    .selectFrom('floor_plans')
    .select(['id', 'units'])
    .where('status', '<>', 'archived')
    .orderBy('id')
    .execute()
  let free = eventDb(ctx)
    .selectFrom('booths')
    .select('polygon')
    .where('status', '=', 'available')
    .where('floor_plan_id', '=', sql<string>`any(${plans.map(({ id }) => id)})`)
  if (zoneCode !== undefined) free = free.where('zone_code', '=', zoneCode)
  const left = (await free.execute()).reduce((sum, { polygon }) => sum + computePolygonArea(polygon), 0)
  const { rows } = await sql<{ wanted: BoothPreferences }>`
    select distinct on (c.id) a.wanted from booth_applications a
    join companies c on c.tenant_id = a.tenant_id and c.event_id = a.event_id and c.id = a.company_id and not c.is_test_data
    where a.tenant_id = ${ctx.tenantId} and a.event_id = ${ctx.event.id}
      and a.status in ('submitted', 'under_review', 'approved', 'waitlisted', 'offered')
      and not exists (select from booth_assignments b where b.tenant_id = a.tenant_id and b.event_id = a.event_id and b.company_id = c.id and b.until is null)
      ${categories === undefined ? sql`` : sql`and c.categories && ${categories}::text[]`}
    order by c.id, a.additional, a.submitted_at`.execute(ctx.db)
  const wanted = rows.reduce((sum, row) => sum + areaWanted(exhibitorConfig, row.wanted, plans[0]?.units ?? 'm'), 0)
  return { left, companiesWaiting: rows.length, wanted }
}

/**
 * Returns the area that an application asks for: that of its first size, otherwise its minimum area, which is in the units of the plans.
 */
function areaWanted({ boothSizes }: EventConfig['exhibitorConfig'], { sizes, minArea }: BoothPreferences, units: PlanUnits): number {
  const size = boothSizes.find(({ code }) => code === sizes[0])
  return size ? size.width * size.depth * TENTHS_OF_MM_PER_METRE ** 2 : (minArea ?? 0) * toTenthsOfMillimetres(1, units) ** 2
}
