import { type InvalidCall, named, valued, without } from './calls.ts'

export const FLOOR_SCANS_CALLS: readonly InvalidCall[] = [
  without('scan_floor_plan_pois', 'floorPlanCode', ['a code such as']),
  named('get_floor_plan_scan', 'confidence', 'minConfidence', 0.8),
  valued('get_floor_plan_scan', 'kind', 'columns', 'pillar', ['pillar', 'restroom']),
]
