import type { ToolMeanings } from '../meanings.ts'

export const FLOOR_PLANS_RESULTS: ToolMeanings = {
  list_floor_plans: {
    floorPlans: 'The floor plans by code.',
    'floorPlans[].gross': 'Area of the hall without holes and areas where building is not allowed, in the units of the plan.',
    'floorPlans[].net': 'Area of all booths that are not blocked, in the units of the plan.',
    'floorPlans[].netGross': 'Net area in percent of the gross area.',
    'floorPlans[].booths': 'Number of booths by status.',
    'floorPlans[].pois': 'Number of points of interest.',
    'floorPlans[].lastScan': 'The latest scan of the source file.',
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
