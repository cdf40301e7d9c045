import { type BoothCandidate, canMergeBoothsForApplicant, hasBoothSize, isAreaInRange } from './candidates.ts'
import type { BoothAssignmentApplicant, BoothAssignmentInputs, ScoreContribution } from './problem.ts'

const FIRST_SIZE = 150
const PER_SIZE_PLACE = 20
const SLIGHTLY_LARGER = 100
const SMALLER = 50
const MAX_LARGER = 1.25
const FIRST_CHOICE = 400
const PER_CHOICE_PLACE = 40
const ZONE = 100
const TYPE = 100
const LAST_YEAR = 100

/** An applicant with the ranks of its wanted booths: 1 for the booth that its application lists first. */
export interface RankedApplicant extends BoothAssignmentApplicant {
  /** The rank of each wanted booth, by booth number in lower case. */
  ranks: ReadonlyMap<string, number>
}

export const toRankedApplicant = (applicant: BoothAssignmentApplicant): RankedApplicant => ({
  ...applicant,
  ranks: new Map(applicant.wanted.boothNumbers.toReversed().map((number, i, all) => [number.toLowerCase(), all.length - i])),
})

/** Returns the best rank that the applicant gave to a booth of the candidate (set of booths); null if the applicant lists none of them. */
export function findPreferenceRank({ ranks }: RankedApplicant, { booths }: BoothCandidate): number | null {
  let best: number | null = null
  for (const { number } of booths) {
    const rank = ranks.get(number.toLowerCase())
    if (rank !== undefined && (best === null || rank < best)) best = rank
  }
  return best
}

/** Returns why the applicant can never get the candidate (set of booths), regardless of other applicants; null if it can get the booths. */
export function findExclusionReason(problem: BoothAssignmentInputs, applicant: RankedApplicant, candidate: BoothCandidate): string | null {
  const { wanted, companyId, ranks } = applicant
  const { booths, zoneCode, area } = candidate
  const isListed = booths.every(({ number }) => ranks.has(number.toLowerCase()))
  if (booths.some(({ heldFor }) => heldFor !== null && heldFor !== companyId)) return 'Held for another company'
  if (wanted.zonesOnly && !(zoneCode !== null && wanted.zoneCodes?.includes(zoneCode))) return 'Outside the zones wanted'
  if (!wanted.acceptOther && ranks.size > 0 && !isListed) return 'Not on the list of the application, which accepts no other booth'
  if (booths.length > 1) return canMergeBoothsForApplicant(problem, wanted, candidate) ? null : 'Not a size wanted'
  if (wanted.sizes.some((code) => hasBoothSize(problem, candidate, code))) return null
  if (wanted.sizes.length > 0 && !wanted.acceptOther && !isListed) return 'Not a size wanted'
  return isAreaInRange(area, wanted.minArea, wanted.maxArea) ? null : 'Smaller or larger than the area wanted'
}

/** Lists the weighted parts of a score that do not depend on the booths of other applicants. Parts with 0 points are left out. */
export function listBoothScoreContributions(
  problem: BoothAssignmentInputs,
  applicant: RankedApplicant,
  candidate: BoothCandidate,
): ScoreContribution[] {
  const { wanted, lastYear } = applicant
  const { weights } = problem.rules
  const rank = findPreferenceRank(applicant, candidate)
  const parts = {
    size: scoreSize(problem, wanted.sizes, candidate),
    choice: rank === null ? 0 : Math.max(0, FIRST_CHOICE - PER_CHOICE_PLACE * (rank - 1)),
    zone: candidate.zoneCode !== null && wanted.zoneCodes?.includes(candidate.zoneCode) ? ZONE : 0,
    type: wanted.type !== undefined && wanted.type === candidate.type ? TYPE : 0,
    lastYear: candidate.booths.some(({ id }) => lastYear.has(id)) ? LAST_YEAR : 0,
    quality: candidate.quality / 2,
  }
  return Object.entries(parts).flatMap(([part, points]) => {
    const weighted = points * weights[part as keyof typeof parts]
    return weighted === 0 ? [] : [{ part: part as keyof typeof parts, points: weighted }]
  })
}

export const sumScoreContributions = (reasons: readonly ScoreContribution[]) => reasons.reduce((sum, { points }) => sum + points, 0)

function scoreSize(problem: BoothAssignmentInputs, wanted: readonly string[], candidate: BoothCandidate): number {
  if (wanted.length === 0) return 0
  const place = wanted.findIndex((code) => hasBoothSize(problem, candidate, code))
  if (place !== -1) return Math.max(0, FIRST_SIZE - PER_SIZE_PLACE * place)
  const first = problem.sizes.get(wanted[0]!)
  if (!first) return 0
  const area = first.width * first.depth
  if (candidate.areaM2 < area - 1e-6) return SMALLER
  return candidate.areaM2 <= area * MAX_LARGER + 1e-6 ? SLIGHTLY_LARGER : 0
}

/** Returns by how many square metres a candidate (set of booths) exceeds the booth size that the applicant wants most. */
export function computeSurplusArea(
  { sizes }: BoothAssignmentInputs,
  { wanted }: BoothAssignmentApplicant,
  { areaM2 }: BoothCandidate,
): number {
  const size = wanted.sizes[0] === undefined ? undefined : sizes.get(wanted.sizes[0])
  return size ? Math.max(0, areaM2 - size.width * size.depth) : areaM2
}
