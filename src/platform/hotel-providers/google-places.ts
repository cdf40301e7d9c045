import { z } from 'zod'
import { findCountryCode } from '../../kernel/country-names.ts'
import type { Fetcher } from '../../kernel/fetcher.ts'
import type { HotelProvider, ProviderHotel, ProviderHotelSearch } from '../../kernel/hotel-providers.ts'
import { truncateToOneLine, parseWebsiteUrl } from '../../kernel/osm-hotels.ts'
import type { Secret } from '../../kernel/secrets.ts'
import { requestJson } from './request-json.ts'

const SERVICE = 'Google Places'
/** The maximum number of hotels that Google returns per request. */
const MAX_RESULTS = 20
const MAX_RADIUS_M = 50_000

const Place = z.looseObject({
  id: z.string().min(1).max(180),
  displayName: z.looseObject({ text: z.string() }).optional(),
  location: z.looseObject({ latitude: z.number().min(-90).max(90), longitude: z.number().min(-180).max(180) }).optional(),
  addressComponents: z
    .array(z.looseObject({ longText: z.string().optional(), shortText: z.string().optional(), types: z.array(z.string()) }))
    .optional(),
  websiteUri: z.string().optional(),
  internationalPhoneNumber: z.string().optional(),
})
const Found = z.looseObject({ places: z.array(Place).optional() })

const FIELDS = ['id', 'displayName', 'location', 'addressComponents', 'websiteUri', 'internationalPhoneNumber']

/** Searches hotels with the Places API (New). Google knows neither the stars nor the number of rooms of a hotel. */
export function createGooglePlacesProvider({ key, url }: { key: Secret; url: string }, fetcher: Fetcher): HotelProvider {
  const headers = (prefix: string) => ({
    'content-type': 'application/json',
    accept: 'application/json',
    'x-goog-api-key': key.reveal(),
    'x-goog-fieldmask': FIELDS.map((field) => prefix + field).join(','),
  })
  const search = async (action: string, body: object): Promise<ProviderHotel[]> => {
    const found = await requestJson(fetcher, {
      service: SERVICE,
      url: `${url}/v1/places:${action}`,
      shape: Found,
      method: 'POST',
      headers: headers('places.'),
      body: JSON.stringify(body),
    })
    return (found?.places ?? []).flatMap((place) => toHotel(place) ?? [])
  }
  return {
    name: 'google',
    prefix: 'google:',
    attribution: 'Google Maps',
    needsPlace: false,
    search: ({ text, near }: ProviderHotelSearch) => {
      const circle = near && {
        circle: { center: { latitude: near.latitude, longitude: near.longitude }, radius: Math.min(MAX_RADIUS_M, near.radiusKm * 1000) },
      }
      if (text === null)
        return search('searchNearby', {
          includedTypes: ['hotel'],
          maxResultCount: MAX_RESULTS,
          rankPreference: 'DISTANCE',
          locationRestriction: circle,
        })
      return search('searchText', {
        textQuery: text,
        includedType: 'hotel',
        pageSize: MAX_RESULTS,
        ...(circle ? { locationBias: circle } : {}),
      })
    },
    get: async (ref) => {
      const [, placeId] = /^google:([\w-]{1,180})$/.exec(ref) ?? []
      if (placeId === undefined) return null
      const place = await requestJson(fetcher, { service: SERVICE, url: `${url}/v1/places/${placeId}`, shape: Place, headers: headers('') })
      return place && toHotel(place)
    },
  }
}

function toHotel({
  id,
  displayName,
  location,
  addressComponents = [],
  websiteUri,
  internationalPhoneNumber,
}: z.infer<typeof Place>): ProviderHotel | null {
  const name = truncateToOneLine(displayName?.text)
  if (name === null) return null
  const part = (type: string) => truncateToOneLine(addressComponents.find(({ types }) => types.includes(type))?.longText)
  const country = addressComponents.find(({ types }) => types.includes('country'))?.shortText
  const address = {
    street: [part('route'), part('street_number')].filter(Boolean).join(' ') || null,
    postalCode: part('postal_code'),
    city: part('locality') ?? part('postal_town'),
    region: part('administrative_area_level_1'),
    country: findCountryCode(country ?? ''),
  }
  return {
    ref: `google:${id}`,
    name,
    address: Object.fromEntries(Object.entries(address).filter(([, value]) => value !== null)),
    latitude: location?.latitude ?? null,
    longitude: location?.longitude ?? null,
    stars: null,
    rooms: null,
    brand: null,
    phone: truncateToOneLine(internationalPhoneNumber, 60),
    website: parseWebsiteUrl(websiteUri),
  }
}
