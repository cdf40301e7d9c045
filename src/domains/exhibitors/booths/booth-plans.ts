import { sql } from 'kysely'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { compareBoothNumbers } from '../company-facts.ts'
import type { ExhibitorContext } from '../context.ts'
import { drawFloorPlan } from '../drawing/drawing.ts'
import { toSvg } from '../../drawing/svg.ts'
import type { BoothMeasurements } from '../floor/booth-figures.ts'
import { listBooths } from '../floor/booths.ts'
import type { PlanUnits } from '../floor/plan-shapes.ts'
import { readBoothMeasurements } from './plan-cache.ts'

export interface BoothMeasurementsOnPlan extends BoothMeasurements {
  number: string
  units: PlanUnits
  /** The name of the floor plan. */
  plan: string
}

export interface BoothPlanPicture {
  name: string
  svg: string
}

const PICTURE_PIXELS = 720

/** Reads the given booths, and draws the floor plans on which they are located, without the names of other companies. */
export async function readBoothPlans(
  ctx: ExhibitorContext,
  boothIds: readonly string[],
): Promise<{ booths: BoothMeasurementsOnPlan[]; plans: BoothPlanPicture[] }> {
  const plans = await eventDb(ctx)
    .selectFrom('floor_plans')
    .selectAll()
    .where(sql<boolean>`id in (select b.floor_plan_id from booths b where b.tenant_id = floor_plans.tenant_id and b.event_id = floor_plans.event_id
      and b.id = any(${boothIds}))`)
    .orderBy('id')
    .execute()
  const booths: BoothMeasurementsOnPlan[] = []
  const pictures: BoothPlanPicture[] = []
  for (const plan of plans) {
    const all = await listBooths(ctx, plan.id)
    const figures = await readBoothMeasurements(plan, all)
    const isShown = (id: string) => boothIds.includes(id)
    for (const { id, number } of all) if (isShown(id)) booths.push({ number, units: plan.units, plan: plan.name, ...figures.get(id)! })
    const drawing = drawFloorPlan(
      {
        name: plan.name,
        units: plan.units,
        outer: plan.outline.outer,
        holes: plan.outline.holes,
        obstacles: plan.obstacles.filter(({ blocksWalking }) => blocksWalking),
        booths: all.map(({ id, number, polygon, status }) => ({
          number,
          polygon,
          label: null,
          look: isShown(id) ? 'chosen' : status === 'available' ? 'free' : 'taken',
        })),
        pois: plan.pois,
        route: [],
      },
      PICTURE_PIXELS,
    )
    pictures.push({ name: plan.name, svg: toSvg(drawing) })
  }
  return { booths: booths.toSorted((a, b) => compareBoothNumbers(a.number, b.number)), plans: pictures }
}
