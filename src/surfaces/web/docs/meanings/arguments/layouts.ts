import type { FieldDocsByTool } from '../meanings.ts'

export const LAYOUT_ARGUMENT_DOCS: FieldDocsByTool = {
  generate_max_fit: {
    floorPlanCode: 'Code of the floor plan. All lengths are in its units.',
    module: 'Width and depth of one booth.',
    'module.width': 'Length of the front.',
    'module.depth': 'Length from front to back.',
    sizeCode: 'Booth size of the event, instead of `module`. The booths get this size.',
    aisle: 'Least width of aisles: 3 m or 10 ft if left out, at least 1.8 m.',
    crossAisle: 'Width of the aisles between the ends of rows. Same as `aisle` if left out.',
    perimeter: 'Whether an aisle or booths stand along the walls.',
    perimeterAisle: 'Width of the aisle along the walls. Same as `aisle` if left out.',
    maxRun: 'Most columns of booths without a cross aisle.',
    exitClear: 'Floor to keep clear before each fire exit: the width of the door, at least 3 m (10 ft), and 6 m (20 ft) deep if left out.',
    'exitClear.width': 'Width along the wall. A wider door widens it.',
    'exitClear.depth': 'Depth from the wall.',
    pillars: 'Whether a booth may stand around a pillar.',
    clearance: 'Distance to keep from obstacles.',
    angles: 'Directions of the rows to try, in degrees. By default those of the walls.',
    grid: 'Step of positions: 0.25 m or 1 ft if left out. A larger step is faster and fits fewer booths.',
    mix: 'Larger booths to form at the ends of rows, with their number.',
    'mix.sizeCode': 'Booth size of the event, a whole number of modules wide and one or two deep.',
    'mix.count': 'Number of these booths.',
    keep: 'Which existing booths stay: none, assigned, also held, or all.',
    prefix: 'Text before every booth number.',
  },
}
