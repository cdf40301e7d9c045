import { z } from 'zod'
import { brief, code, count, flag, id, ifRevision, list, name, object, oneOf, text, truncationResult } from '../../kernel/args.ts'
import { manageEventTool } from '../../kernel/manage-tool.ts'
import { applyLayout, REPLACE_CHOICES } from '../../domains/exhibitors/plans/apply-layout.ts'
import { applyScan } from '../../domains/exhibitors/plans/apply-scan.ts'
import { calibratePlan } from '../../domains/exhibitors/plans/calibrate-plan.ts'
import { copyFloorPlan } from '../../domains/exhibitors/plans/copy-plan.ts'
import { archivePlan, createDrawnPlan, publishPlan, updateFloorPlan } from '../../domains/exhibitors/plans/edit-plan.ts'
import { aisles, length, obstacles, outline, point, pois, zones } from '../../domains/exhibitors/plans/plan-arguments.ts'
import { FloorPlan, PLAN_PARTS } from '../../domains/exhibitors/plans/plan-results.ts'
import { showChangedPlan, showPlan } from '../../domains/exhibitors/plans/show-plan.ts'
import { createSourcePlan, type PlanSource, storePlanSource } from '../../domains/exhibitors/plans/source-plan.ts'

const MAX_SVG_LENGTH = 500_000

export default manageEventTool({
  name: 'manage_floor_plans',
  title: 'Draw and publish floor plans',
  description:
    'Draw a hall plan, or load it from a PDF, DXF, SVG or picture. Actions: get (with image), create, update (outline, entrance, pillars, no-build zones), calibrate, apply_scan, apply_layout, publish (put online), archive, copy. Not for booths (use manage_booths) or all halls (use list_floor_plans). Returns the plan.',
  effect: 'change',
  openWorld: true,
  area: 'exhibitors',
  input: {
    floorPlanCode: code(),
    include: list(oneOf(PLAN_PARTS), PLAN_PARTS.length),
    code: code(),
    name: name(160),
    units: oneOf(['m', 'ft']),
    fileId: id('file'),
    url: text(2000),
    svg: text(MAX_SVG_LENGTH),
    outline: outline(),
    width: length(1),
    height: length(1),
    obstacles: obstacles(),
    aisles: aisles(),
    zones: zones(),
    pois: pois(),
    merge: flag(),
    remove: list(text(63)),
    ifRevision: ifRevision().unwrap(),
    a: point(),
    b: point(),
    distance: length(0.001),
    scanId: id('floorPlanScan'),
    findingIds: list(text(40), 5000),
    minConfidence: z.number().min(0, 'at least 0').max(1, 'at most 1'),
    layoutId: id('layout'),
    replace: oneOf(REPLACE_CHOICES),
    toEventCode: code(),
  },
  output: {
    floorPlan: FloorPlan,
    changed: list(text()).optional(),
    applied: count().optional(),
    skipped: brief(list(object({ id: text(), reason: text(1000) })), 'id, reason').optional(),
    scanId: id().optional(),
    jobId: id().optional(),
    warnings: list(text(2000)).optional(),
    ...truncationResult,
  },
  prefetch: (ctx, { action, fileId, url, svg }): Promise<PlanSource | null> =>
    action === 'create' ? storePlanSource(ctx, { fileId, url, svg }) : Promise.resolve(null),
  afterCommit: showChangedPlan,
  actions: (action) => ({
    get: action.read(['floorPlanCode'], showPlan, { takes: ['include'] }),
    create: action.change(
      ['code', 'name', 'units'],
      (ctx, input, source) => (source ? createSourcePlan(ctx, input, source) : createDrawnPlan(ctx, input)),
      { takes: ['fileId', 'url', 'svg', 'outline', 'width', 'height'] },
    ),
    update: action.change(['floorPlanCode'], updateFloorPlan, {
      takes: ['name', 'outline', 'obstacles', 'aisles', 'zones', 'pois', 'merge', 'remove', 'ifRevision'],
    }),
    calibrate: action.change(['floorPlanCode', 'a', 'b', 'distance', 'units'], calibratePlan),
    apply_scan: action.change(['scanId'], applyScan, { takes: ['findingIds', 'minConfidence'] }),
    apply_layout: action.change(['layoutId'], applyLayout, { takes: ['replace'] }),
    publish: action.change(['floorPlanCode'], (ctx, { floorPlanCode }) => publishPlan(ctx, floorPlanCode)),
    archive: action.change(['floorPlanCode'], (ctx, { floorPlanCode }) => archivePlan(ctx, floorPlanCode)),
    copy: action.change(['floorPlanCode', 'code'], copyFloorPlan, { takes: ['toEventCode'] }),
  }),
})
