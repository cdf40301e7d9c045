import type { BoothAssignmentRules, ScoreContribution } from './problem.ts'

/** A proposal as stored in the database, to be shown again and applied. */
export interface StoredProposal {
  assigned: {
    applicationNumber: string
    companyId: string
    points: number
    boothIds: string[]
    boothNumbers: string[]
    score: number
    rank: number | null
    reasons: ScoreContribution[]
  }[]
  unassigned: { applicationNumber: string; companyId: string; reason: string; bestRefused: { booth: string; why: string }[] }[]
  /** Revisions of the proposed booths, by booth id. If a booth has changed since, the proposal is stale. */
  boothRevisions: Record<string, number>
  stats: {
    firstChoicePercent: number
    topThreePercent: number
    /** Net area of the assigned booths, in the units of the plan. */
    net: number
    /** Total price of the assigned booths in minor units, without tax that is added to the prices. */
    revenue: number
    competitorViolations: number
    score: number
  }
}

export interface StoredProposalInput extends BoothAssignmentRules {
  floorPlanIds: string[]
  statuses: string[]
  applicationNumbers: string[] | null
  keepHeld: boolean
}
