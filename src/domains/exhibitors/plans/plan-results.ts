import { z } from 'zod'
import { toOneLine, count, id, instant, list, object, oneOf, text, untrustedText } from '../../../kernel/args.ts'
import { jsonByteLength, MAX_RESULT_LIST_BYTES } from '../../../kernel/bytes.ts'
import { eventDb, joinRowsOfSameEvent } from '../../../kernel/scoped-db.ts'
import { formatInstant } from '../../../kernel/time.ts'
import type { ExhibitorQueryContext } from '../context.ts'
import { renderFloorPlan } from '../drawing/picture.ts'
import { type PlanLayers, toDrawnFloorPlan } from '../drawing/floor-plan-drawing.ts'
import { type BoothRow, listBooths } from '../floor/booths.ts'
import type { FloorPlanRow } from '../floor/floor-plans.ts'
import { computeFloorPlanMetrics } from '../floor/plan-figures.ts'
import {
  type AffineTransformation,
  fromTenthsOfMillimetres,
  type Point,
  type Polygon,
  toTenthsOfMillimetres,
  type PlanUnits,
} from '../floor/plan-shapes.ts'
import { computeBoundingBox } from '../floor/polygons.ts'
import { FLOOR_PLAN_SCAN_STATES, FLOOR_PLAN_STATES } from '../states.ts'
import type { EventContext } from '../../../kernel/context.ts'

const number = () => z.number()

export const BoothCounts = toOneLine(
  object({
    total: count(),
    available: count(),
    held: count(),
    assigned: count(),
    blocked: count(),
  }),
  'total, available, held, assigned, blocked',
)

export const LastFloorPlanScan = toOneLine(
  object({ scanId: id(), status: oneOf(FLOOR_PLAN_SCAN_STATES.all), findings: count(), at: instant() }),
  'scanId, status, findings, at',
)

export const FLOOR_PLAN_PARTS = ['outline', 'obstacles', 'aisles', 'zones', 'pois', 'source'] as const
export type FloorPlanPart = (typeof FLOOR_PLAN_PARTS)[number]

const corners = () => list(list(number()))
const shape = { kind: text(), polygon: corners() }

export const FloorPlan = toOneLine(
  object({
    id: id(),
    code: text(),
    name: untrustedText(),
    units: oneOf(['m', 'ft']),
    status: oneOf(FLOOR_PLAN_STATES.all),
    revision: count(),
    updatedAt: instant(),
    width: number(),
    height: number(),
    gross: number(),
    grossM2: number(),
    net: number(),
    netM2: number(),
    netGross: number(),
    booths: BoothCounts,
    shapes: object({ obstacles: count(), aisles: count(), zones: count(), pois: count() }),
    scale: object({ method: text(), unitsPerSourceUnit: number().optional() }),
    lastScan: LastFloorPlanScan.optional(),
    outline: object({ outer: corners(), holes: list(corners()) }).optional(),
    obstacles: list(object({ id: text(), ...shape, blocksWalking: z.boolean() })).optional(),
    aisles: list(object({ id: text(), ...shape })).optional(),
    zones: list(object({ code: text(), name: untrustedText(), ...shape })).optional(),
    pois: list(
      object({
        id: text(),
        kind: text(),
        name: untrustedText(),
        point: list(number()),
        polygon: corners().optional(),
        doorWidth: number().optional(),
      }),
    ).optional(),
    source: object({ kind: text(), fileId: id().optional(), sourceToPlan: list(number()).optional() }).optional(),
  }),
  'id, code, status, revision, gross, net, netGross, booths, scale, and what include names',
)

/** Converts a floor plan to a tool result with the parts named in `include`. */
export function toFloorPlanResult(plan: FloorPlanRow, booths: readonly BoothRow[], include: readonly FloorPlanPart[]) {
  const { units } = plan
  const { left, right, bottom, top } = computeBoundingBox(plan.outline.outer)
  const wanted = new Set(include)
  const at = ([x, y]: Point) => [fromTenthsOfMillimetres(x, units), fromTenthsOfMillimetres(y, units)]
  const drawn = (polygon: Polygon) => polygon.map(at)
  const { unitsPerSourceUnit, method } = plan.scale
  return {
    id: plan.id,
    code: plan.code,
    name: plan.name,
    units,
    status: plan.status,
    revision: plan.revision,
    updatedAt: formatInstant(plan.updated_at),
    width: fromTenthsOfMillimetres(right - left, units),
    height: fromTenthsOfMillimetres(top - bottom, units),
    ...computeFloorPlanMetrics(plan, booths),
    shapes: { obstacles: plan.obstacles.length, aisles: plan.aisles.length, zones: plan.zones.length, pois: plan.pois.length },
    scale: { method, ...(unitsPerSourceUnit === null ? {} : { unitsPerSourceUnit }) },
    ...(wanted.has('outline') ? { outline: { outer: drawn(plan.outline.outer), holes: plan.outline.holes.map(drawn) } } : {}),
    ...(wanted.has('obstacles')
      ? {
          obstacles: plan.obstacles.map((one) => ({
            id: one.id,
            kind: one.kind,
            polygon: drawn(one.polygon),
            blocksWalking: one.blocksWalking,
          })),
        }
      : {}),
    ...(wanted.has('aisles') ? { aisles: plan.aisles.map((one) => ({ id: one.id, kind: one.kind, polygon: drawn(one.polygon) })) } : {}),
    ...(wanted.has('zones')
      ? { zones: plan.zones.map((one) => ({ code: one.code, name: one.name, kind: one.kind, polygon: drawn(one.polygon) })) }
      : {}),
    ...(wanted.has('pois')
      ? {
          pois: plan.pois.map((one) => ({
            id: one.id,
            kind: one.kind,
            name: one.name,
            point: at(one.point),
            ...(one.polygon ? { polygon: drawn(one.polygon) } : {}),
            ...(one.doorWidth === undefined ? {} : { doorWidth: fromTenthsOfMillimetres(one.doorWidth, units) }),
          })),
        }
      : {}),
    ...(wanted.has('source') ? { source: toSource(plan) } : {}),
  }
}

const toSource = ({ source, source_file_id, source_to_plan, units }: FloorPlanRow) => ({
  kind: source,
  ...(source_file_id === null ? {} : { fileId: source_file_id }),
  ...(source_to_plan === null ? {} : { sourceToPlan: toPlanUnits(source_to_plan, units) }),
})

const toPlanUnits = (affine: AffineTransformation, units: PlanUnits) =>
  affine.map((part) => Number((part / toTenthsOfMillimetres(1, units)).toPrecision(12)))

/** Converts a floor plan and its latest file scan to a tool result. Only requested parts contain shapes, and long lists are cut. */
export async function describeFloorPlan(ctx: ExhibitorQueryContext, plan: FloorPlanRow, include: readonly FloorPlanPart[] = []) {
  const scan = await findLastFloorPlanScan(ctx, plan.id)
  const floorPlan = { ...toFloorPlanResult(plan, await listBooths(ctx, plan.id), include), ...(scan ? { lastScan: scan } : {}) }
  const cut: string[] = []
  for (const part of ['obstacles', 'zones', 'aisles', 'pois'] as const) {
    const items = floorPlan[part]
    if (!items || jsonByteLength(floorPlan) <= MAX_RESULT_LIST_BYTES) continue
    const kept = Math.max(0, Math.floor(items.length * (1 - (jsonByteLength(floorPlan) - MAX_RESULT_LIST_BYTES) / jsonByteLength(items))))
    items.length = kept
    cut.push(part)
  }
  if (cut.length === 0) return { floorPlan }
  return { floorPlan, truncated: true as const, note: `Shows only the first ${cut.join(', ')}. Use include to get one of the lists alone.` }
}

export async function findLastFloorPlanScan(ctx: ExhibitorQueryContext, planId: string) {
  const [scan] = await listLastFloorPlanScans(ctx, [planId])
  return scan?.[1]
}

export async function listLastFloorPlanScans(ctx: ExhibitorQueryContext, planIds: readonly string[]) {
  if (planIds.length === 0) return []
  const rows = await eventDb(ctx)
    .selectFrom('floor_plan_scans')
    .distinctOn('floor_plan_id')
    .select(['floor_plan_id', 'id', 'status', 'created_at'])
    .select((eb) => eb.fn<number>('jsonb_array_length', ['findings']).as('found'))
    .where('floor_plan_id', 'in', planIds)
    .orderBy('floor_plan_id')
    .orderBy('id', 'desc')
    .execute()
  return rows.map(
    (row) => [row.floor_plan_id, { scanId: row.id, status: row.status, findings: row.found, at: formatInstant(row.created_at) }] as const,
  )
}

export async function attachFloorPlanPicture(ctx: EventContext, plan: FloorPlanRow, layers: PlanLayers = {}): Promise<void> {
  const booths = await listBooths(ctx, plan.id)
  ctx.pictures.push(await renderFloorPlan(toDrawnFloorPlan(plan, booths, { companies: await listBoothCompanies(ctx, plan.id), ...layers })))
}

/** Lists the names of the companies to which booths of a floor plan are assigned, or for which they are held, by booth id. */
async function listBoothCompanies(ctx: ExhibitorQueryContext, planId: string): Promise<Map<string, string>> {
  const rows = await eventDb(ctx)
    .selectFrom('booths')
    .leftJoin('booth_assignments as a', (join) => joinRowsOfSameEvent(join, 'a.booth_id', 'booths.id').on('a.until', 'is', null))
    .innerJoin('companies as c', (join) =>
      join
        .onRef('c.tenant_id', '=', 'booths.tenant_id')
        .onRef('c.event_id', '=', 'booths.event_id')
        .on((eb) => eb('c.id', '=', eb.fn.coalesce('a.company_id', 'booths.held_for'))),
    )
    .select(['booths.id', 'c.name'])
    .where('booths.floor_plan_id', '=', planId)
    .execute()
  return new Map(rows.map(({ id: boothId, name }) => [boothId, name]))
}
