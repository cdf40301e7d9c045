import type { BoothRow } from '../floor/booths.ts'
import type { FloorPlanRow } from '../floor/floor-plans.ts'
import type { Point, Polygon } from '../floor/plan-shapes.ts'
import type { DrawnBooth, DrawnRecognizedObject, DrawableFloorPlan } from './drawing.ts'

/** Additional layers in the picture of a plan with its booths. */
export interface PlanLayers {
  companies?: ReadonlyMap<string, string>
  /** Names of the companies to which an assignment proposal would give the booths, by booth id. */
  proposal?: ReadonlyMap<string, string>
  /** Values from 0 to 1 by booth id, drawn as the colours of a heat map. */
  heat?: ReadonlyMap<string, number>
  chosen?: ReadonlySet<string>
  findings?: readonly DrawnRecognizedObject[]
  layout?: readonly { number: string; polygon: Polygon }[]
  route?: readonly Point[]
  /** Returns link target and text alternative of a booth, if each booth of the drawn plan is a link. */
  linkTo?: (booth: BoothRow) => { href: string; label: string }
  /** The id of the booth that is marked with a ring because the page shows its details. */
  picked?: string | undefined
}

const LOOKS = { available: 'available', held: 'held', assigned: 'taken', blocked: 'blocked', merged: 'available' } as const

/** Returns a floor plan as organizers see it: all booths by status, except booths that are merged into others, and the given layers. */
export const toDrawnFloorPlan = (plan: FloorPlanRow, booths: readonly BoothRow[], layers: PlanLayers = {}): DrawableFloorPlan => ({
  name: plan.name,
  units: plan.units,
  outer: plan.outline.outer,
  holes: plan.outline.holes,
  obstacles: plan.obstacles.filter(({ blocksWalking }) => blocksWalking),
  aisles: plan.aisles,
  zones: plan.zones,
  pois: plan.pois,
  booths: booths.filter(({ status }) => status !== 'merged').map((booth) => toDrawnBooth(booth, layers)),
  route: layers.route ?? [],
  ...(layers.findings ? { findings: layers.findings } : {}),
  ...(layers.layout ? { layout: layers.layout } : {}),
})

function toDrawnBooth(booth: BoothRow, { companies, proposal, heat, chosen, linkTo, picked }: PlanLayers): DrawnBooth {
  const { id, number, polygon, status } = booth
  const proposed = proposal?.get(id)
  const value = heat?.get(id)
  return {
    number,
    polygon,
    label: proposed ?? companies?.get(id) ?? null,
    look: chosen?.has(id) ? 'chosen' : proposed === undefined ? LOOKS[status] : 'proposed',
    ...(value === undefined ? {} : { heat: value }),
    ...(linkTo ? { link: linkTo(booth), isPicked: id === picked } : {}),
  }
}
