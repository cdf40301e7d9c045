import type { ToolMeanings } from '../meanings.ts'

export const PLACEMENTS_ARGUMENTS: ToolMeanings = {
  analyze_growth: {
    compareEventCode: 'Event of the same client to compare with. By default the earlier event that shares most exhibitors.',
    asOf: 'final: booths at the end of the other event. days_out: booths as many days before it as today is before this event.',
    zoneCode: 'Only booths in this zone.',
    category: 'Only companies in this category or one below it.',
  },
  analyze_placement: {
    floorPlanCode: 'Code of the floor plan. The first published plan if left out.',
    proposalId: 'A proposal of booth assignments, to rate the plan as if it were applied.',
    weights: 'Weights of exposure (0.5), proximity to an entrance (0.3) and open sides (0.2).',
    'weights.exposure': 'Weight of the visitors who pass.',
    'weights.proximity': 'Weight of a short way from an entrance.',
    'weights.openSides': 'Weight of open sides.',
  },
}
