interface Point {
  latitude?: number | null | undefined
  longitude?: number | null | undefined
}

const EARTH_KM = 6371
/** Kilometres per degree of latitude (111.2), rounded down so that a search by degrees misses no place whose distance is rounded. */
export const KM_PER_LATITUDE_DEGREE = 110
const radians = (degrees: number) => (degrees * Math.PI) / 180

/** Returns the haversine distance, rounded to 10 metres; null if either point has no coordinates. */
export function computeRoundedDistanceKm(a: Point | null | undefined, b: Point | null | undefined): number | null {
  const exact = computeExactDistanceKm(a, b)
  return exact === null ? null : Math.round(exact * 100) / 100
}

/** Returns the haversine distance; null if either point has no coordinates. */
export function computeExactDistanceKm(a: Point | null | undefined, b: Point | null | undefined): number | null {
  if (a?.latitude == null || a.longitude == null || b?.latitude == null || b.longitude == null) return null
  const [from, to] = [radians(a.latitude), radians(b.latitude)]
  const half = (one: number, other: number) => Math.sin((one - other) / 2) ** 2
  const chord = half(from, to) + Math.cos(from) * Math.cos(to) * half(radians(a.longitude), radians(b.longitude))
  return 2 * EARTH_KM * Math.asin(Math.min(1, Math.sqrt(chord)))
}
