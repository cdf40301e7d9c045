import type { ProposalRules, Reason } from './problem.ts'

/** A proposal as it is stored, for reading it again and for applying it. */
export interface StoredProposal {
  assigned: {
    applicationNumber: string
    companyId: string
    points: number
    boothIds: string[]
    boothNumbers: string[]
    score: number
    rank: number | null
    reasons: Reason[]
  }[]
  unassigned: { applicationNumber: string; companyId: string; reason: string; bestRefused: { booth: string; why: string }[] }[]
  /** Revisions of the booths proposed, by booth id: a booth that has changed since makes the proposal stale. */
  boothRevisions: Record<string, number>
  stats: {
    firstChoicePercent: number
    topThreePercent: number
    /** In the units of the plan. */
    net: number
    /** Total prices in minor units, without tax that is added to them. */
    revenue: number
    competitorViolations: number
    score: number
  }
}

export interface StoredProposalInput extends ProposalRules {
  /** Ids of floor plans. */
  floorPlanIds: string[]
  statuses: string[]
  applicationNumbers: string[] | null
  keepHeld: boolean
}
