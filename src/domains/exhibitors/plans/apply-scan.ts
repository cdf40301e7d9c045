import { runTaskCooperatively } from '../../../kernel/cooperative.ts'
import { recordChange } from '../../../kernel/audit.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { invalidArguments, notFound, preconditionFailed } from '../../../kernel/errors.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { transformRecognizedObject } from '../floor/affine.ts'
import { type BoothRow, findUsedBoothNumbers, insertBooths, listBooths } from '../floor/booths.ts'
import { type FloorPlanRow, lockFloorPlanById } from '../floor/floor-plans.ts'
import { findPlacementProblems } from '../floor/placement.ts'
import { type RecognizedPlanObject, type Obstacle, type PointOfInterest, POI_KINDS, type Polygon } from '../floor/plan-shapes.ts'
import { findPolygonError, toCounterClockwise } from '../floor/polygons.ts'
import { findFloorPlanWarnings, savePlan } from './edit-plan.ts'
import { createShapeIdGenerator, getPoiName } from './plan-arguments.ts'
import { describeFloorPlan } from './plan-results.ts'

interface ScanApplication {
  scanId: string
  findingIds?: readonly string[] | undefined
  minConfidence?: number | undefined
}

type Skipped = { id: string; reason: string }
type Geometry = Pick<FloorPlanRow, 'outline' | 'obstacles' | 'pois'>

/** Adds objects that a scan has recognized to the plan. Objects that the plan cannot contain are left out, with the reason. */
export async function applyFloorPlanScan(ctx: EventContext, { scanId, findingIds, minConfidence }: ScanApplication) {
  if ((findingIds === undefined) === (minConfidence === undefined))
    throw invalidArguments([{ path: 'findingIds', message: 'pass either findingIds or minConfidence' }])
  const scan = await eventDb(ctx).selectFrom('floor_plan_scans').selectAll().where('id', '=', scanId).executeTakeFirst()
  if (!scan) throw notFound(`No scan ${scanId} at this event`)
  if (scan.status !== 'done') throw preconditionFailed(`This scan is ${scan.status}. Only the findings of a finished scan can be applied`)
  const plan = await lockFloorPlanById(ctx, scan.floor_plan_id)
  // Reads the recognized objects again after locking the plan, because another call may have applied some of them meanwhile.
  const { findings, scale } = await eventDb(ctx)
    .selectFrom('floor_plan_scans')
    .select(['findings', 'scale'])
    .where('id', '=', scanId)
    .executeTakeFirstOrThrow()
  const unknown = findingIds?.find((id) => !findings.some((finding) => finding.id === id))
  if (unknown !== undefined) throw notFound(`This scan has no finding ${unknown}`)
  const wanted = findings.filter(({ id, confidence }) => (findingIds ? findingIds.includes(id) : confidence >= minConfidence!))
  const map = (scan.file_id === plan.source_file_id ? plan.source_to_plan : null) ?? scale.sourceToPlan ?? null
  if (!map) throw preconditionFailed('This scan has no coordinates to apply')
  const placed = await placeFindings(
    ctx,
    plan,
    wanted.map((finding) => transformRecognizedObject(map, finding)),
  )
  const isScaled = plan.scale.method !== 'none' || scale.method === 'none'
  const next = {
    ...plan,
    ...placed.geometry,
    source_to_plan: scan.file_id === plan.source_file_id ? map : plan.source_to_plan,
    scale: isScaled ? plan.scale : { method: scale.method, unitsPerSourceUnit: scale.unitsPerSourceUnit },
  }
  const saved = await savePlan(ctx, plan, next, ['outline', 'obstacles', 'pois', 'scale', 'source_to_plan'])
  await insertBooths(
    ctx,
    plan,
    placed.booths.map(({ number, polygon }) => ({ number, polygon, fromSource: true })),
  )
  const applied = new Set(placed.applied)
  await eventDb(ctx)
    .updateTable('floor_plan_scans')
    .set({ findings: JSON.stringify(findings.map((finding) => (applied.has(finding.id) ? { ...finding, applied: true } : finding))) })
    .where('id', '=', scanId)
    .execute()
  recordChange(ctx, { kind: 'floorPlanScan', id: scanId, after: { applied: applied.size, skipped: placed.skipped.length } })
  return {
    ...(await describeFloorPlan(ctx, saved, ['outline'])),
    applied: applied.size,
    skipped: placed.skipped,
    warnings: findFloorPlanWarnings(saved),
  }
}

interface Placed {
  geometry: Geometry
  booths: { number: string; polygon: Polygon }[]
  applied: string[]
  skipped: Skipped[]
}

/** Places the outline first, because everything else stands inside it, then obstacles and points of interest, then booths. */
async function placeFindings(ctx: EventContext, plan: FloorPlanRow, findings: readonly RecognizedPlanObject[]): Promise<Placed> {
  const booths = await listBooths(ctx, plan.id)
  const placed: Placed = {
    geometry: { outline: plan.outline, obstacles: plan.obstacles, pois: plan.pois },
    booths: [],
    applied: [],
    skipped: [],
  }
  const skip = ({ id }: RecognizedPlanObject, reason: string) => void placed.skipped.push({ id, reason })
  const nextId = createShapeIdGenerator([...plan.obstacles, ...plan.aisles, ...plan.pois].map(({ id }) => id))
  const usable = findings.filter((finding) => {
    const problem = finding.applied ? 'already applied' : findShapeError(finding, plan)
    if (problem) skip(finding, problem)
    return !problem
  })
  const place = async (finding: RecognizedPlanObject, geometry: Geometry) => {
    const [misplaced] = await runTaskCooperatively(findPlacementProblems(geometry, booths))
    if (misplaced) return skip(finding, `booth ${misplaced.number} ${misplaced.reason} then`)
    placed.geometry = geometry
    placed.applied.push(finding.id)
  }
  const [outline, ...others] = usable.filter(({ kind }) => kind === 'outline').toSorted((a, b) => b.confidence - a.confidence)
  for (const other of others) skip(other, 'another outline is applied')
  if (outline)
    await place(outline, {
      ...placed.geometry,
      outline: { outer: toCounterClockwise(outline.polygon!), holes: (outline.holes ?? []).map(toCounterClockwise), fromSource: true },
    })
  for (const finding of usable) {
    const obstacle = toObstacle(finding, nextId)
    const poi = toPoi(finding, nextId)
    if (obstacle) await place(finding, { ...placed.geometry, obstacles: [...placed.geometry.obstacles, obstacle] })
    if (poi) await place(finding, { ...placed.geometry, pois: [...placed.geometry.pois, poi] })
  }
  await placeBooths(
    ctx,
    placed,
    booths,
    usable.filter(({ kind }) => kind === 'booth'),
    skip,
  )
  return placed
}

function findShapeError({ kind, polygon, holes = [] }: RecognizedPlanObject, { units }: FloorPlanRow): string | null {
  if (!polygon) return kind === 'outline' || kind === 'pillar' || kind === 'wall' || kind === 'booth' ? 'has no shape' : null
  for (const shape of [polygon, ...holes]) {
    const problem = findPolygonError(shape, units)
    if (problem) return problem
  }
  return null
}

const toObstacle = ({ kind, polygon }: RecognizedPlanObject, nextId: (kind: string) => string): Obstacle | null =>
  kind === 'pillar' || kind === 'wall'
    ? { id: nextId(kind), kind, polygon: toCounterClockwise(polygon!), blocksWalking: true, fromSource: true }
    : null

const isPoiKind = (kind: string): kind is PointOfInterest['kind'] => (POI_KINDS as readonly string[]).includes(kind)

/**
 * Converts a finding to a point of interest. The shape of a fire exit is left out: it would be the area to keep clear, which a drawing does
 * not show.
 */
function toPoi({ kind, label, point, polygon, doorWidth }: RecognizedPlanObject, nextId: (kind: string) => string): PointOfInterest | null {
  if (!isPoiKind(kind)) return null
  return {
    id: nextId(kind),
    kind,
    name: label.slice(0, 80) || getPoiName(kind),
    point,
    ...(polygon && kind !== 'fireExit' ? { polygon: toCounterClockwise(polygon) } : {}),
    ...(doorWidth === undefined ? {} : { doorWidth }),
    fromSource: true,
  }
}

async function placeBooths(
  ctx: EventContext,
  placed: Placed,
  standing: readonly BoothRow[],
  findings: readonly RecognizedPlanObject[],
  skip: (finding: RecognizedPlanObject, reason: string) => void,
): Promise<void> {
  const taken = await findUsedBoothNumbers(
    ctx,
    findings.map(({ label }) => label),
  )
  const fresh = findings.flatMap((finding) => {
    const number = finding.label.trim()
    const used = taken.has(number.toLowerCase())
    if (number === '' || number.length > 12 || used) {
      skip(finding, used ? `booth number ${number} is taken at this event` : 'has no booth number of up to 12 characters')
      return []
    }
    taken.add(number.toLowerCase())
    return [{ number, polygon: toCounterClockwise(finding.polygon!), finding }]
  })
  const all: { number: string; polygon: Polygon; finding?: RecognizedPlanObject }[] = [...standing, ...fresh]
  const problems = await runTaskCooperatively(findPlacementProblems(placed.geometry, all, new Set<(typeof all)[number]>(fresh)))
  const reasons = new Map(problems.map(({ number, reason }) => [number, reason]))
  for (const { number, polygon, finding } of fresh) {
    const reason = reasons.get(number)
    if (reason) skip(finding, reason)
    else {
      placed.booths.push({ number, polygon })
      placed.applied.push(finding.id)
    }
  }
}
