import type { ToolMeanings } from '../meanings.ts'

export const PLACEMENTS_ARGUMENTS: ToolMeanings = {
  propose_booth_assignments: {
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
}
