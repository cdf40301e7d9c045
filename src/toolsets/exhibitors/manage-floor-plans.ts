import { multiActionEventTool } from '../../kernel/manage-tool.ts'
import { applyGeneratedLayout } from '../../domains/exhibitors/plans/apply-layout.ts'
import { applyFloorPlanScan } from '../../domains/exhibitors/plans/apply-scan.ts'
import { calibratePlan } from '../../domains/exhibitors/plans/calibrate-plan.ts'
import { copyFloorPlan } from '../../domains/exhibitors/plans/copy-plan.ts'
import {
  archiveFloorPlan,
  createDrawnFloorPlan,
  publishAndDescribeFloorPlan,
  updateFloorPlan,
} from '../../domains/exhibitors/plans/edit-plan.ts'
import { FLOOR_PLAN_ARGUMENTS, FLOOR_PLAN_RESULT_FIELDS } from '../../domains/exhibitors/plans/manage-shapes.ts'
import { attachChangedPlanPicture, describePlanWithPicture } from '../../domains/exhibitors/plans/show-plan.ts'
import { createPlanFromFile, type PlanSourceUpload, storePlanSourceFile } from '../../domains/exhibitors/plans/source-plan.ts'

export default multiActionEventTool({
  name: 'manage_floor_plans',
  title: 'Draw and publish floor plans',
  description:
    'Draw a hall plan, or load it from a PDF, DXF, SVG or picture. Actions: get (with image), create, update (outline, entrance, pillars, no-build zones), calibrate, apply_scan, apply_layout, publish (put online), archive, copy. Not for booths (use manage_booths) or all halls (use list_floor_plans). Returns the plan.',
  effect: 'change',
  openWorld: true,
  area: 'exhibitors',
  input: FLOOR_PLAN_ARGUMENTS,
  output: FLOOR_PLAN_RESULT_FIELDS,
  prefetch: (ctx, { action, fileId, url, svg }): Promise<PlanSourceUpload | null> =>
    action === 'create' ? storePlanSourceFile(ctx, { fileId, url, svg }) : Promise.resolve(null),
  afterCommit: attachChangedPlanPicture,
  actions: (action) => ({
    get: action.read(['floorPlanCode'], describePlanWithPicture, { takes: ['include'] }),
    create: action.change(
      ['code', 'name', 'units'],
      (ctx, input, source) => (source ? createPlanFromFile(ctx, input, source) : createDrawnFloorPlan(ctx, input)),
      { takes: ['fileId', 'url', 'svg', 'outline', 'width', 'height'] },
    ),
    update: action.change(['floorPlanCode'], updateFloorPlan, {
      takes: ['name', 'outline', 'obstacles', 'aisles', 'zones', 'pois', 'merge', 'remove', 'ifRevision'],
    }),
    calibrate: action.change(['floorPlanCode', 'a', 'b', 'distance', 'units'], calibratePlan),
    apply_scan: action.change(['scanId'], applyFloorPlanScan, { takes: ['findingIds', 'minConfidence'] }),
    apply_layout: action.change(['layoutId'], applyGeneratedLayout, { takes: ['replace'] }),
    publish: action.change(['floorPlanCode'], (ctx, { floorPlanCode }) => publishAndDescribeFloorPlan(ctx, floorPlanCode)),
    archive: action.change(['floorPlanCode'], (ctx, { floorPlanCode }) => archiveFloorPlan(ctx, floorPlanCode)),
    copy: action.change(['floorPlanCode', 'code'], copyFloorPlan, { takes: ['toEventCode'] }),
  }),
})
