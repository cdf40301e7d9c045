import { normalizeAmenity } from './identity.ts'

/** The facts of a supplier that determine its fit. Null and empty values are unknown. */
export interface SupplierFitInput {
  sleepingRooms: number | null
  totalMeetingSqm: number | null
  /** The distance to the center of the nearest requested city. */
  km: number | null
  amenities: readonly string[]
  history: { rfps: number; responses: number }
}

/** The requirements that suppliers are rated by. A requirement that is 0, null or empty is ignored. */
export interface FitRequirements {
  /** The number of rooms on the peak night. */
  peak: number
  area: number
  radiusKm: number | null
  mustHaves: readonly string[]
}

export const FIT_CRITERIA = ['rooms', 'space', 'place', 'amenities', 'history'] as const
export type FitCriterion = (typeof FIT_CRITERIA)[number]

export const FIT_CRITERION_WEIGHTS: Record<FitCriterion, number> = { rooms: 30, space: 30, place: 20, amenities: 10, history: 10 }
/** The share of its sleeping rooms that a hotel can give to one event. */
export const MAX_ROOM_SHARE_PER_EVENT = 0.8
export const ASSUMED_FULFILMENT_IF_UNKNOWN = 0.5

export interface SupplierFit {
  /** How well the supplier fits the requirements, from 0 to 100 with one decimal. */
  fit: number
  /** The requirements, such as rooms or space, that cannot be rated because the supplier's facts are unknown. */
  unknown: FitCriterion[]
  /** The share of each requirement that the supplier fulfils, from 0 to 1. */
  shares: Partial<Record<FitCriterion, number>>
}

/**
 * Rates how well a supplier fits the requirements. Unknown parts count half; parts that are not required are left out, and the others are
 * scaled to 100.
 */
export function rateSupplierFit(facts: SupplierFitInput, need: FitRequirements): SupplierFit {
  const known = listShares(facts, need)
  const parts = FIT_CRITERIA.filter((part) => known[part] !== undefined)
  const shares = Object.fromEntries(parts.map((part) => [part, known[part] ?? ASSUMED_FULFILMENT_IF_UNKNOWN]))
  const reached = parts.reduce((sum, part) => sum + FIT_CRITERION_WEIGHTS[part] * shares[part]!, 0)
  const weights = parts.reduce((sum, part) => sum + FIT_CRITERION_WEIGHTS[part], 0)
  return { fit: Math.round((1000 * reached) / weights) / 10, unknown: parts.filter((part) => known[part] === null), shares }
}

/** Computes the share of each requirement that the supplier fulfils: null if unknown, omitted if not required. */
function listShares(facts: SupplierFitInput, need: FitRequirements): Partial<Record<FitCriterion, number | null>> {
  const { sleepingRooms, totalMeetingSqm, km, amenities, history } = facts
  const { peak, area, radiusKm, mustHaves } = need
  return {
    ...(peak > 0 ? { rooms: sleepingRooms === null ? null : Math.min(1, (sleepingRooms * MAX_ROOM_SHARE_PER_EVENT) / peak) } : {}),
    ...(area > 0 ? { space: totalMeetingSqm === null ? null : Math.min(1, totalMeetingSqm / area) } : {}),
    ...(radiusKm === null ? {} : { place: km === null ? null : Math.max(0, 1 - km / radiusKm) }),
    ...(mustHaves.length === 0 ? {} : { amenities: amenities.length === 0 ? null : shareOf(mustHaves, amenities) }),
    history: history.rfps === 0 ? null : Math.min(1, history.responses / history.rfps),
  }
}

function shareOf(mustHaves: readonly string[], amenities: readonly string[]): number {
  const has = new Set(amenities.map(normalizeAmenity))
  const wanted = [...new Set(mustHaves.map(normalizeAmenity))]
  return wanted.filter((one) => has.has(one)).length / wanted.length
}
