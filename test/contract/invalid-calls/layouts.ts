import { type InvalidCall, wrongName, wrongValue, missingArgument } from './calls.ts'

export const LAYOUTS_CALLS: readonly InvalidCall[] = [
  missingArgument('generate_max_fit', 'floorPlanCode', []),
  wrongValue('generate_max_fit', 'perimeter', 'walls', 'booths', ['aisle', 'booths']),
  wrongName('generate_max_fit', 'aisleWidth', 'aisle', 3),
]
