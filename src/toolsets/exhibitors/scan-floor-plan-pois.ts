import { code, count, flag, id, list, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { z } from 'zod'
import { RECOGNIZED_OBJECT_KINDS } from '../../domains/exhibitors/plan-scans/describe-scan.ts'
import { checkFloorPlanScanRequest, scanFloorPlan } from '../../domains/exhibitors/plan-scans/request-scan.ts'

export default eventTool({
  name: 'scan_floor_plan_pois',
  title: 'Read a floor plan drawing',
  description:
    'Read the drawing of a hall (CAD file, DXF, SVG, PDF or picture) and detect outline, pillars and columns, walls, booths, doors, entrances, fire exits, toilets and other amenities by layers, labels and shapes. Changes nothing on the plan: apply with manage_floor_plans, results in get_floor_plan_scan. Returns scanId and jobId.',
  effect: 'change',
  permission: 'exhibitors.write',
  input: {
    floorPlanCode: code(),
    fileId: id('file').optional(),
    page: count(1, 500).optional(),
    kinds: list(oneOf(RECOGNIZED_OBJECT_KINDS), RECOGNIZED_OBJECT_KINDS.length).optional(),
    layers: list(text(200), 200).optional(),
    languages: list(text(35), 20).optional(),
    useModel: flag().optional(),
  },
  output: { scanId: id(), jobId: id(), status: oneOf(['queued', 'done']), reused: z.literal(true).optional() },
  prefetch: checkFloorPlanScanRequest,
  run: scanFloorPlan,
})
