import type { FieldDocsByTool } from '../meanings.ts'

export const PLACEMENT_ARGUMENT_DOCS: FieldDocsByTool = {
  propose_booth_assignments: {
    'weights.size': 'Weight of the wanted size.',
    'weights.choice': 'Weight of the listed booth numbers.',
    'weights.zone': 'Weight of the wanted zones.',
    'weights.type': 'Weight of the wanted booth type.',
    'weights.lastYear': 'Weight of the place of last year.',
    'weights.near': 'Weight of companies to be near to.',
    'weights.quality': 'Weight of the quality of the booth.',
    'weights.competitor': 'Weight of the distance to competitors, if `competitors` is `soft`.',
    proposalId: 'Id of an existing proposal to read, without other arguments.',
    floorPlanCodes: 'Codes of published floor plans. All if omitted.',
    method: '`points` lets the highest points choose first; `balanced` maximizes all scores together, weighted by points.',
    statuses: 'Statuses of the applications to place. Approved ones if omitted.',
    applicationNumbers: 'Only these applications.',
    keepHeld: 'Leave booths that are held for other companies alone. True if omitted; booths of open offers are always left alone.',
    competitors: 'Whether competitors must be apart, lose points when they are close, or are ignored. `hard` if omitted.',
    competitorDistance: 'Distance between competitors in metres, edge to edge. That of the event if omitted.',
    allowMerge: 'Combine two to six booths to the size or area wanted. True if omitted.',
    weights: 'Factors for the parts of the score; 1 if omitted.',
    minScore: 'Leave an application without a booth rather than in one with a lower score.',
  },
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
