import { z } from 'zod'
import { toOneLine, count, describe, id, list, object, oneOf, pageResult, totalResult, untrustedText } from '../../../kernel/args.ts'
import type { EventContext, ResultImage } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { getJob } from '../../../kernel/jobs.ts'
import { paginateList, readValueStoredInCursor } from '../../../kernel/page.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import type { ExhibitorQueryContext } from '../context.ts'
import { toDrawnFloorPlan } from '../drawing/floor-plan-drawing.ts'
import { renderFloorPlan } from '../drawing/picture.ts'
import { transformRecognizedObject } from '../floor/affine.ts'
import type { FloorPlanRow } from '../floor/floor-plans.ts'
import { type RecognizedPlanObject, fromTenthsOfMillimetres, POI_KINDS, type PlanUnits } from '../floor/plan-shapes.ts'
import { computeBoundingBox } from '../floor/polygons.ts'
import { FLOOR_PLAN_SCAN_STATES } from '../states.ts'
import { compareRecognizedObjects } from './scan-file.ts'
import { scanFloorPlanJob } from './scan-job.ts'
import { SCAN_WARNINGS } from './source-drawing.ts'

export const RECOGNIZED_OBJECT_KINDS = [...POI_KINDS, 'outline', 'pillar', 'wall', 'booth'] as const

const ShownFinding = object({
  id: z.string(),
  kind: oneOf(RECOGNIZED_OBJECT_KINDS),
  label: untrustedText(),
  point: list(z.number(), 2),
  size: list(z.number(), 2).optional(),
  doorWidth: z.number().optional(),
  confidence: z.number(),
  evidence: list(z.string()),
  applied: z.boolean(),
})

export const ScanReport = {
  scanId: id(),
  floorPlanCode: z.string(),
  status: oneOf(FLOOR_PLAN_SCAN_STATES.all),
  progress: toOneLine(object({ done: count(), total: count() }), 'done, total'),
  units: oneOf(['m', 'ft']),
  scale: toOneLine(
    object({ method: z.string(), unitsPerSourceUnit: z.number().nullable(), confidence: z.number() }),
    'method, unitsPerSourceUnit, confidence',
  ),
  findings: toOneLine(list(ShownFinding), 'id, kind, label, point, size, doorWidth, confidence, evidence, applied'),
  counts: toOneLine(z.record(z.string(), count()), 'findings by kind'),
  warnings: list(oneOf(SCAN_WARNINGS)),
  error: describe(z.string(), 'Why the scan failed.').optional(),
  ...totalResult,
  ...pageResult,
}

interface ScanQuery {
  scanId: string
  kind?: RecognizedPlanObject['kind'] | undefined
  minConfidence?: number | undefined
  limit: number
  cursor?: string | undefined
}

/** Returns the objects that a floor plan scan has recognized, in units of the plan, with a picture of them. */
export async function describeFloorPlanScan(ctx: EventContext, query: ScanQuery): Promise<z.input<z.ZodObject<typeof ScanReport>>> {
  // Validates the cursor first, because a cursor of another scan should be reported before an unknown scan.
  readValueStoredInCursor(ctx, query)
  const { scan, plan, findings: all } = await readScan(ctx, query.scanId)
  const wanted = all
    .filter(({ kind, confidence }) => (query.kind === undefined || kind === query.kind) && confidence >= (query.minConfidence ?? 0))
    .toSorted(compareRecognizedObjects)
  const { items, ...page } = paginateList(ctx, query, {
    rows: wanted,
    shape: (finding) => toShownFinding(finding, plan.units),
    pin: `${scan.id} ${scan.revision}`,
    moved: 'The scan has changed since the first page. Read it again without a cursor',
  })
  if (wanted.length > 0) ctx.pictures.push(await drawFindings(plan, wanted))
  const { method, unitsPerSourceUnit, confidence = 0 } = scan.scale
  return {
    scanId: scan.id,
    floorPlanCode: plan.code,
    status: scan.status,
    progress: await readProgress(ctx, scan),
    units: plan.units,
    scale: { method, unitsPerSourceUnit, confidence },
    findings: items,
    counts: countKinds(wanted),
    warnings: scan.warnings as (typeof SCAN_WARNINGS)[number][],
    ...(scan.error === null ? {} : { error: scan.error }),
    total: wanted.length,
    ...page,
  }
}

/** Reads a floor plan scan with its plan. The recognized objects are in coordinates of the plan. */
export async function readScan(ctx: ExhibitorQueryContext, scanId: string) {
  const scan = await eventDb(ctx).selectFrom('floor_plan_scans').selectAll().where('id', '=', scanId).executeTakeFirst()
  if (!scan) throw notFound(`No floor plan scan ${scanId} at this event`)
  const plan = await eventDb(ctx).selectFrom('floor_plans').selectAll().where('id', '=', scan.floor_plan_id).executeTakeFirstOrThrow()
  // A calibration of the plan is more accurate than the scale that the scan found.
  const toPlan = (scan.file_id === plan.source_file_id ? plan.source_to_plan : null) ?? scan.scale.sourceToPlan
  const findings = scan.findings.map((finding) => (toPlan ? transformRecognizedObject(toPlan, finding) : finding))
  return { scan, plan, findings }
}

/** Reads the progress of a scan, which its background job reports. */
async function readProgress(ctx: EventContext, scan: { status: string; progress: { done: number; total: number }; job_id: string | null }) {
  if (scan.status !== 'running' || scan.job_id === null) return scan.progress
  const { progress } = await getJob(ctx, { jobId: scan.job_id, name: scanFloorPlanJob.name, eventId: ctx.event.id })
  return { done: progress.done, total: progress.total ?? 100 }
}

function toShownFinding(
  { id: findingId, kind, label, point, polygon, doorWidth, confidence, evidence, applied }: RecognizedPlanObject,
  units: PlanUnits,
) {
  const box = polygon && computeBoundingBox(polygon)
  const to = (tenths: number) => fromTenthsOfMillimetres(tenths, units)
  return {
    id: findingId,
    kind,
    label: label.replaceAll('\n', ' '),
    point: [to(point[0]), to(point[1])],
    ...(box ? { size: [to(box.right - box.left), to(box.top - box.bottom)] } : {}),
    ...(doorWidth === undefined ? {} : { doorWidth: to(doorWidth) }),
    confidence,
    evidence: [...evidence],
    applied,
  }
}

/** Draws the objects that a scan has recognized on its floor plan. */
function drawFindings(plan: FloorPlanRow, findings: readonly RecognizedPlanObject[]): Promise<ResultImage> {
  const { drawn, others } = applyFoundOutline(plan, findings)
  return renderFloorPlan(toDrawnFloorPlan(drawn, [], { findings: others.map(toDrawn) }))
}

/** Returns the plan with the outline that the scan has found, if it has no outline of its own. */
export function applyFoundOutline(
  plan: FloorPlanRow,
  findings: readonly RecognizedPlanObject[],
): { drawn: FloorPlanRow; others: readonly RecognizedPlanObject[] } {
  const found = plan.outline.outer.length > 0 ? undefined : findings.find(({ kind, polygon }) => kind === 'outline' && polygon)
  if (!found) return { drawn: plan, others: findings }
  return { drawn: { ...plan, outline: { outer: found.polygon!, holes: [] } }, others: findings.filter((finding) => finding !== found) }
}

/** Kinds of recognized objects that are drawn without a label, because the same word would cover the whole plan. */
const UNNAMED_KINDS: ReadonlySet<RecognizedPlanObject['kind']> = new Set(['outline', 'pillar', 'wall'])

const toDrawn = ({ kind, label, point, polygon, confidence }: RecognizedPlanObject) => ({
  label: label === '' ? (UNNAMED_KINDS.has(kind) ? '' : kind) : label.replaceAll('\n', ' '),
  point,
  ...(polygon ? { polygon } : {}),
  confidence,
})

function countKinds(findings: readonly RecognizedPlanObject[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { kind } of findings) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}
