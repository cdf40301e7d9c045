import { eventDb } from '../../kernel/scoped-db.ts'
import type { BriefAnswers } from '../briefs/answers.ts'
import { countRoomsOfNight, computeBriefTotals } from '../briefs/needs.ts'
import type { GeoPoint } from '../../kernel/hotel-providers.ts'
import { findCities, loadCities } from '../hotel-catalog/cities.ts'
import { computeExactDistanceKm } from '../housing/distance.ts'
import type { AttachedRubric } from '../rfps/tables.ts'
import { type PricedOffer, priceOffersInCurrency } from './offers.ts'
import { type ResponseReadContext, type ComparableResponse, readComparableResponses, type RfpSnapshot } from './responses.ts'
import { type ManualScore, type OfferScoringInput, scoreOffers, type ScoredOffer } from './score.ts'

/** The search radius in kilometres for a brief (the requirements of an RFP) that gives none. */
const DEFAULT_RADIUS_KM = 10

/**
 * Scores all comparable responses of an RFP in the currency of the RFP, even if the caller shows only some of them. Returns null if the RFP
 * has no rubric. A caller that has already priced all these responses in this currency passes them.
 */
export async function scoreComparableResponses(
  ctx: ResponseReadContext,
  rfp: RfpSnapshot,
  all?: readonly PricedOffer[],
): Promise<ScoredOffer[] | null> {
  if (!rfp.rubric) return null
  return scoreWith(
    ctx,
    rfp,
    rfp.rubric,
    all ?? (await priceOffersInCurrency(ctx, rfp, await readComparableResponses(ctx, rfp), rfp.currency)),
  )
}

async function scoreWith(
  ctx: ResponseReadContext,
  rfp: RfpSnapshot,
  rubric: AttachedRubric,
  offers: readonly PricedOffer[],
): Promise<ScoredOffer[]> {
  const needsPlace = rubric.criteria.some(({ formula }) => formula === 'distance')
  const centres = needsPlace ? await locateCities(rfp.requirements) : []
  const manual = await listManualScores(
    ctx,
    offers.map(({ id }) => id),
  )
  const { area } = computeBriefTotals(rfp.requirements)
  return scoreOffers(
    { criteria: rubric.criteria, questions: rfp.questions },
    offers.map((offer) => toFacts(rfp, offer, { centres, area })),
    manual,
  )
}

export async function listManualScores(
  ctx: ResponseReadContext,
  responseIds: readonly string[],
): Promise<(ManualScore & { note: string | null })[]> {
  if (responseIds.length === 0) return []
  const rows = await eventDb(ctx)
    .selectFrom('response_scores')
    .select(['response_id', 'criterion', 'evaluator', 'score', 'note'])
    .where('response_id', 'in', responseIds)
    .orderBy('created_at')
    .orderBy('evaluator')
    .execute()
  return rows.map(({ response_id, criterion, evaluator, score, note }) => ({
    responseId: response_id,
    criterion,
    evaluator,
    score: Number(score),
    note,
  }))
}

/** Finds the centres of the cities that the brief names. Unknown names are left out. */
async function locateCities({ cities = [] }: BriefAnswers): Promise<GeoPoint[]> {
  const index = await loadCities()
  return cities.flatMap((city) => findCities(index, city).slice(0, 1))
}

function toFacts(
  rfp: RfpSnapshot,
  offer: PricedOffer,
  { centres, area }: { centres: readonly GeoPoint[]; area: OfferScoringInput['areaAsked'] },
): OfferScoringInput {
  const distances = centres.flatMap((centre) => computeExactDistanceKm(centre, offer.supplier) ?? [])
  return {
    id: offer.id,
    net: offer.net,
    concessions: offer.concessions,
    roomsAsked: offer.cost.roomNights,
    roomsOffered: offer.nights.reduce((sum, need) => sum + Math.min(countRoomsOfNight(need), countOfferedRooms(offer, need.night)), 0),
    areaAsked: area,
    areaOffered: measureOfferedArea(offer),
    km: distances.length === 0 ? null : Math.min(...distances),
    radiusKm: rfp.requirements.radiusKm ?? DEFAULT_RADIUS_KM,
    answers: offer.content.answers,
  }
}

export const countOfferedRooms = ({ content }: Pick<ComparableResponse, 'content'>, night: string): number =>
  content.rooms.filter((one) => one.night === night).reduce((sum, { rooms }) => sum + rooms, 0)

/**
 * Measures the offered area: the rooms that the response names, each counted once, otherwise the whole meeting space of the supplier.
 * Returns null if a size is unknown.
 */
function measureOfferedArea({ content, supplier }: ComparableResponse): number | null {
  if (content.space.length === 0) return supplier.totalMeetingSqm
  const sizes = new Map<string, number | null>()
  for (const { room, areaSqm } of content.space) {
    const name = room.trim().toLowerCase()
    const known = supplier.meetingRooms.find((one) => one.name.trim().toLowerCase() === name)?.areaSqm
    sizes.set(name, areaSqm ?? known ?? sizes.get(name) ?? null)
  }
  const areas = [...sizes.values()]
  return areas.includes(null) ? supplier.totalMeetingSqm : areas.reduce<number>((sum, area) => sum + area!, 0)
}
