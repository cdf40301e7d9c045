import { type InvalidCall, wrongName, wrongValue, missingArgument } from './calls.ts'

export const FLOOR_SCANS_CALLS: readonly InvalidCall[] = [
  missingArgument('scan_floor_plan_pois', 'floorPlanCode', ['a code such as']),
  wrongName('get_floor_plan_scan', 'confidence', 'minConfidence', 0.8),
  wrongValue('get_floor_plan_scan', 'kind', 'columns', 'pillar', ['pillar', 'restroom']),
]
