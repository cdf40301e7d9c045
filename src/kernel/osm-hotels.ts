import { cleanName } from './clean-text.ts'
import { findCountryCode } from './country-names.ts'
import type { ProviderHotel } from './hotel-providers.ts'

/** A node, way or relation of OpenStreetMap, as Overpass and OSM files have it. */
export interface OsmElement {
  type: 'node' | 'way' | 'relation'
  id: number
  lat?: number | undefined
  lon?: number | undefined
  center?: { lat: number; lon: number } | undefined
  bounds?: { minlat: number; minlon: number; maxlat: number; maxlon: number } | undefined
  nodes?: readonly number[] | undefined
  tags?: Readonly<Record<string, string>> | undefined
}

export const isOsmHotel = ({ tags }: Pick<OsmElement, 'tags'>): boolean => tags?.['tourism'] === 'hotel'

/** Keeps the first `max` characters of a text on one line; null if nothing is left. */
export const truncateToOneLine = (text: string | undefined, max = 200): string | null => cleanName((text ?? '').slice(0, max)) || null

/** Returns a web address with its scheme; null if the text is not a web address. */
export function parseWebsiteUrl(text: string | undefined): string | null {
  const given = truncateToOneLine(text, 500)
  if (given === null) return null
  const address = /^[a-z]+:\/\//i.test(given) ? given : `https://${given}`
  return URL.canParse(address) && /^https?:$/.test(new URL(address).protocol) && new URL(address).hostname.includes('.') ? address : null
}

/** Parses stars as OpenStreetMap writes them: `4`, `4S` (superior) or `4.5`. */
function toStars(text: string | undefined): number | null {
  const [, stars, superior] = /^([0-5](?:\.5)?)\s*(s|sup)?$/i.exec(text?.trim() ?? '') ?? []
  return stars === undefined ? null : Math.min(5, Number(stars) + (superior && !stars.includes('.') ? 0.5 : 0))
}

const toRooms = (text: string | undefined): number | null => (/^\d{1,5}$/.test(text?.trim() ?? '') ? Number(text) : null)

function toPoint({ lat, lon, center, bounds }: OsmElement): { latitude: number; longitude: number } | null {
  if (lat !== undefined && lon !== undefined) return { latitude: lat, longitude: lon }
  if (center) return { latitude: center.lat, longitude: center.lon }
  if (bounds) return { latitude: (bounds.minlat + bounds.maxlat) / 2, longitude: (bounds.minlon + bounds.maxlon) / 2 }
  return null
}

/** Converts an OpenStreetMap element to a hotel; null if it has no name. The coordinates are null if the element has none. */
export function toOsmHotel(element: OsmElement): ProviderHotel | null {
  const tags = element.tags ?? {}
  const name = truncateToOneLine(tags['name'] ?? tags['name:en'])
  if (name === null) return null
  const point = toPoint(element)
  const street = [tags['addr:street'] ?? tags['addr:place'], tags['addr:housenumber']].filter(Boolean).join(' ')
  const address = {
    street: truncateToOneLine(street),
    postalCode: truncateToOneLine(tags['addr:postcode'], 20),
    city: truncateToOneLine(tags['addr:city']),
    region: truncateToOneLine(tags['addr:state']),
    country: findCountryCode(tags['addr:country'] ?? ''),
  }
  return {
    ref: `osm:${element.type}/${element.id}`,
    name,
    address: Object.fromEntries(Object.entries(address).filter(([, value]) => value !== null)),
    latitude: point?.latitude ?? null,
    longitude: point?.longitude ?? null,
    stars: toStars(tags['stars']),
    rooms: toRooms(tags['rooms']),
    brand: truncateToOneLine(tags['brand'] ?? tags['operator']),
    phone: truncateToOneLine(tags['contact:phone'] ?? tags['phone'], 60),
    website: parseWebsiteUrl(tags['contact:website'] ?? tags['website']),
  }
}
