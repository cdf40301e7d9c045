import { z } from 'zod'
import { id, oneOf, pageArguments } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { describeFloorPlanScan, RECOGNIZED_OBJECT_KINDS, ScanReport } from '../../domains/exhibitors/plan-scans/describe-scan.ts'

export default eventTool({
  name: 'get_floor_plan_scan',
  title: 'Get what a floor plan scan found',
  description:
    'See what the automatic reading of a hall drawing found and whether it is done: columns, doors, exits, toilets and booths with place, confidence and evidence, the inferred scale, and a picture of the findings on the plan. Started by scan_floor_plan_pois; apply with manage_floor_plans. Returns status, scale, findings, counts.',
  effect: 'read',
  permission: 'exhibitors.read',
  input: {
    scanId: id('floorPlanScan'),
    kind: oneOf(RECOGNIZED_OBJECT_KINDS).optional(),
    minConfidence: z.number().min(0).max(1).optional(),
    ...pageArguments,
  },
  output: ScanReport,
  run: describeFloorPlanScan,
})
