import { type InvalidCall, named, valued, without } from './calls.ts'

export const FLOOR_SCANS_CALLS: readonly InvalidCall[] = [
  without('scan_floor_plan_pois', 'floorPlanCode', ['a code such as']),
  named('scan_floor_plan_pois', 'planCode', 'floorPlanCode', 'hall-1'),
  valued('get_floor_plan_scan', 'kind', 'columns', 'pillar', ['pillar', 'restroom']),
]
