import type { EventContext } from '../../kernel/context.ts'
import { AppError } from '../../kernel/errors.ts'
import type { GeoPoint, HotelServices } from '../../kernel/hotel-providers.ts'
import { getBrief } from '../briefs/briefs.ts'
import { computeBriefTotals } from '../briefs/needs.ts'
import { pickApplicableAnswers } from '../briefs/questions.ts'
import { computeRoundedDistanceKm } from '../housing/distance.ts'
import { normalizePlaceName } from '../hotel-catalog/cities.ts'
import { resolvePlace } from '../hotel-catalog/places.ts'
import type { CatalogSourceStatus } from '../hotel-catalog/sources.ts'
import type { FitRequirements } from './fit.ts'

/** The search radius for a brief (the requirements of an RFP) that gives no distance. */
const DEFAULT_RADIUS_KM = 25

/** The requirements of a brief, and the centers of the cities that distances are measured from. */
export interface GeocodedRequirements {
  need: FitRequirements
  centers: readonly GeoPoint[]
  /** The normalized names of the requested cities. */
  cities: readonly string[]
  radiusKm: number
  needsSpace: boolean
  sources: CatalogSourceStatus[]
}

export type GeocodingContext = EventContext & { hotels: HotelServices | null }

/** Reads the requirements of a brief. Unknown or ambiguous cities are rejected, or left out with `lenient`. */
export async function readGeocodedRequirements(
  ctx: GeocodingContext,
  briefId: string,
  { lenient }: { lenient: boolean },
): Promise<GeocodedRequirements> {
  const answers = pickApplicableAnswers((await getBrief(ctx, briefId)).answers)
  const { peak, area } = computeBriefTotals(answers)
  const { cities = [], radiusKm = DEFAULT_RADIUS_KM, mustHaves = [] } = answers
  const centers: GeoPoint[] = []
  const sources = new Map<string, CatalogSourceStatus>()
  for (const city of cities) {
    const found = await resolvePlace(ctx, city, ctx.hotels?.geocoder ?? null).catch((error: unknown) => {
      if (lenient && error instanceof AppError) return null
      throw error
    })
    if (found) centers.push(found.place)
    for (const source of found?.sources ?? []) sources.set(source.name, source)
  }
  return {
    need: { peak, area, radiusKm: cities.length === 0 ? null : radiusKm, mustHaves },
    centers,
    cities: cities.map(normalizeCityName),
    radiusKm,
    needsSpace: answers.needSpace === true,
    sources: [...sources.values()],
  }
}

/** Normalizes the name of a city, without the country or state that follows it. */
export const normalizeCityName = (place: string): string => normalizePlaceName(place.split(',')[0]!)

/** Returns the distance to the nearest city center; null if it is unknown. */
export function computeDistanceToWantedPlace(
  centers: readonly GeoPoint[],
  point: { latitude: number | null; longitude: number | null },
): number | null {
  const distances = centers.flatMap((center) => computeRoundedDistanceKm(center, point) ?? [])
  return distances.length === 0 ? null : Math.min(...distances)
}
