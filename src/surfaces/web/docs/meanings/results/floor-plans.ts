import type { FieldDocsByTool } from '../meanings.ts'

export const FLOOR_PLAN_RESULT_DOCS: FieldDocsByTool = {
  list_floor_plans: {
    floorPlans: 'The floor plans by code. `gross` is the hall without holes and areas where building is not allowed, `net` the area of all booths that are not blocked, both in the units of the plan; `netGross` is their ratio in percent. `pois` counts points of interest, and `lastScan` is the latest scan of the source file.',
    totals: 'Sums over all plans that match, in square metres.',
  },
  manage_floor_plans: {
    floorPlan: 'The plan after the change. An image shows it with its booths.',
    changed: 'Names of the parts that changed.',
    applied: 'Number of findings or booths put on the plan.',
    skipped: 'Findings that were left out, with the reason.',
    scanId: 'Id of the scan that reads the source file.',
    jobId: 'Id of the background job that runs the scan.',
    warnings: 'What to check, although it is allowed.',
  },
}
