import type { BoothPreferences } from '../tables.ts'
import type { Polygon } from '../floor/plan-shapes.ts'

/** A booth that can be given to an applicant. */
export interface ProposalBooth {
  id: string
  number: string
  planId: string
  polygon: Polygon
  /** Area in the units of the booth's plan, because applications state minimum and maximum areas in these units. */
  area: number
  /** Width of the smallest enclosing rectangle, in metres. */
  width: number
  depth: number
  sizeCode: string | null
  zoneCode: string | null
  type: string
  quality: number
  /** The company that the booth is held for; other companies cannot get it. */
  heldFor: string | null
}

export interface BoothAssignmentApplicant {
  number: string
  companyId: string
  points: number
  submittedAt: Date | null
  wanted: BoothPreferences
  /** Ids of the booths that match the company's booths at its last event. Empty if the application does not ask for the same booth. */
  lastYear: ReadonlySet<string>
}

/** A booth that a company already has and keeps. */
export interface KeptCompanyBooth {
  companyId: string
  planId: string
  polygon: Polygon
}

/** The parts of the score of a booth for an applicant. Each part has a weight with the same key. */
export const PLACEMENT_SCORE_PARTS = ['size', 'choice', 'zone', 'type', 'lastYear', 'near', 'quality', 'competitor'] as const
export type PlacementScorePart = (typeof PLACEMENT_SCORE_PARTS)[number]
export type PlacementScoreWeights = Readonly<Record<PlacementScorePart, number>>

export const COMPETITOR_DISTANCE_RULES = ['hard', 'soft', 'off'] as const
export const BOOTH_ASSIGNMENT_METHODS = ['points', 'balanced'] as const

export interface BoothAssignmentRules {
  method: (typeof BOOTH_ASSIGNMENT_METHODS)[number]
  competitors: (typeof COMPETITOR_DISTANCE_RULES)[number]
  /** Minimum distance between competitors, in metres. */
  competitorDistance: number
  allowMerge: boolean
  weights: PlacementScoreWeights
  minScore: number
}

export interface BoothAssignmentInputs {
  booths: readonly ProposalBooth[]
  /** The applicants in any order. Booths are assigned to those with the most priority points first. */
  applicants: readonly BoothAssignmentApplicant[]
  fixed: readonly KeptCompanyBooth[]
  /** Pairs of competing companies. Each pair is listed once, in any order. */
  competitors: readonly (readonly [string, string])[]
  /** Widths and depths of booth sizes in metres, by size code. */
  sizes: ReadonlyMap<string, { width: number; depth: number }>
  /** Returns the type of a booth that is merged from others. */
  typeOf: (planId: string, polygon: Polygon) => string
  rules: BoothAssignmentRules
}

export interface ScoreContribution {
  part: PlacementScorePart
  points: number
}

export interface PlacedApplicant {
  applicant: BoothAssignmentApplicant
  booths: readonly ProposalBooth[]
  score: number
  /** Rank of the booth among those that the application lists, from 1; null if the application does not list it. */
  rank: number | null
  reasons: ScoreContribution[]
}

export interface UnplacedApplicant {
  applicant: BoothAssignmentApplicant
  reason: string
  bestRefused: { booth: string; why: string }[]
}

export interface AssignmentSolution {
  placed: PlacedApplicant[]
  unplaced: UnplacedApplicant[]
  /** Number of pairs of competitors whose booths are closer than the minimum distance. */
  competitorViolations: number
  score: number
  /** Total that the method `balanced` maximizes: the sum of all scores, each multiplied by 1 + points / most points. */
  weightedScore: number
}
