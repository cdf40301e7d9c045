import { AppError, notFound, preconditionFailed } from '../../kernel/errors.ts'
import type { GeocodedPlace, Geocoder, GeoPoint } from '../../kernel/hotel-providers.ts'
import { readDraftConfiguration } from '../configuration/read.ts'
import type { ConfigReadContext } from '../configuration/read.ts'
import { computeExactDistanceKm } from '../housing/distance.ts'
import { cityGeocoder } from './cities.ts'
import { type CatalogSourceStatus, createFailedSourceStatus } from './sources.ts'

export interface ResolvedPlace extends GeoPoint {
  name: string
  precision: 'exact' | 'address' | 'city'
}

export interface PlaceLookupResult {
  place: ResolvedPlace
  sources: CatalogSourceStatus[]
}

const COORDINATES = /^\s*(-?\d{1,3}(?:\.\d+)?)\s*[,;]\s*(-?\d{1,3}(?:\.\d+)?)\s*$/

/** Finds the place that a search names: `venue` for the event's venue, coordinates, or a name. Rejects unknown and ambiguous names. */
export async function resolvePlace(ctx: ConfigReadContext, near: string, geocoder: Geocoder | null): Promise<PlaceLookupResult> {
  const coordinates = parseCoordinates(near)
  if (coordinates) return { place: { ...coordinates, name: near.trim(), precision: 'exact' }, sources: [] }
  return near.trim().toLowerCase() === 'venue' ? resolveVenue(ctx, geocoder) : resolveName(near, geocoder)
}

export function parseCoordinates(text: string): GeoPoint | null {
  const [, latitude, longitude] = COORDINATES.exec(text) ?? []
  const point = { latitude: Number(latitude), longitude: Number(longitude) }
  return latitude !== undefined && Math.abs(point.latitude) <= 90 && Math.abs(point.longitude) <= 180 ? point : null
}

/** Finds the venue of the event's configuration: by its coordinates if they are set, otherwise by its address. */
async function resolveVenue(ctx: ConfigReadContext, geocoder: Geocoder | null): Promise<PlaceLookupResult> {
  const { venue } = (await readDraftConfiguration(ctx)).config.details
  if (venue?.latitude != null && venue.longitude != null) {
    const { name, latitude, longitude } = venue
    return { place: { name: name ?? 'venue', latitude, longitude, precision: 'exact' }, sources: [] }
  }
  const address = [venue?.address, venue?.city, venue?.country].filter(Boolean).join(', ')
  if (address !== '') return resolveName(address, geocoder)
  throw preconditionFailed('The event has no venue yet. Give near as a city or as "latitude,longitude", or set the venue', {
    fix: { say: 'Set details.venue with latitude and longitude by configure_event, or call again with near as a city' },
  })
}

async function resolveName(text: string, geocoder: Geocoder | null): Promise<PlaceLookupResult> {
  const sources: CatalogSourceStatus[] = []
  if (geocoder) {
    try {
      const found = await geocoder.find(text)
      sources.push({ name: geocoder.name, status: 'ok', attribution: geocoder.attribution })
      if (found.length > 0) return { place: chooseGeocodedPlace(text, found), sources }
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'ambiguous') throw error
      sources.push(createFailedSourceStatus(geocoder, error))
    }
  }
  const found = await cityGeocoder.find(text)
  if (found.length === 0)
    throw notFound(`No place ${JSON.stringify(text.slice(0, 80))} found. Give a city, a city with its country, or "latitude,longitude"`)
  return {
    place: chooseGeocodedPlace(text, found),
    sources: [...sources, { name: cityGeocoder.name, status: 'ok', attribution: cityGeocoder.attribution }],
  }
}

/** Maximum distance between two search results with the same name that count as one place. */
const SAME_PLACE_KM = 25
/**
 * A place is chosen automatically if the geocoder's importance score of every other place with that name is lower by at least this much.
 */
const IMPORTANCE_MARGIN = 0.1
const MAX_CANDIDATES = 6

export function chooseGeocodedPlace(text: string, found: readonly GeocodedPlace[]): ResolvedPlace {
  const [first, ...others] = found
  const rivals = others.filter(
    (place) => first!.importance - place.importance < IMPORTANCE_MARGIN && computeExactDistanceKm(first, place)! > SAME_PLACE_KM,
  )
  if (rivals.length === 0) {
    const { name, latitude, longitude, precision } = first!
    return { name, latitude, longitude, precision }
  }
  const named = [first!, ...rivals].slice(0, MAX_CANDIDATES)
  throw new AppError(
    'ambiguous',
    `${JSON.stringify(text.slice(0, 80))} is the name of several places: ${named.map(({ name }) => name).join('; ')}. Name one of them, or give "latitude,longitude"`,
    {
      candidates: named.map(({ name, latitude, longitude }) => ({ near: `${latitude},${longitude}`, name })),
    },
  )
}
