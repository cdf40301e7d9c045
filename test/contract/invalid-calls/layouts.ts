import { type InvalidCall, named, valued, without } from './calls.ts'

export const LAYOUTS_CALLS: readonly InvalidCall[] = [
  without('generate_max_fit', 'floorPlanCode', []),
  valued('generate_max_fit', 'perimeter', 'walls', 'booths', ['aisle', 'booths']),
  named('generate_max_fit', 'aisleWidth', 'aisle', 3),
]
