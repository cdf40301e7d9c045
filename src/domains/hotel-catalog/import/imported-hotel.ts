import { createHash } from 'node:crypto'
import { findCountryCode } from '../../../kernel/country-names.ts'
import type { ProviderHotel } from '../../../kernel/hotel-providers.ts'
import { truncateToOneLine, parseWebsiteUrl } from '../../../kernel/osm-hotels.ts'
import { normalizePlaceName } from '../cities.ts'

export interface ImportedHotel extends ProviderHotel {
  format: 'csv' | 'geojson' | 'osm'
  attribution: string | null
}

/** A record of an import file: a hotel, an object that is no hotel and is skipped, or an invalid hotel with its problems. */
export type HotelImportRecord = { at: string } & ({ hotel: ImportedHotel } | { skipped: true } | { problems: readonly string[] })

/** The columns of a catalog file. */
export const CATALOG_COLUMNS = [
  'name',
  'address',
  'city',
  'country',
  'latitude',
  'longitude',
  'stars',
  'rooms',
  'chain',
  'phone',
  'website',
  'externalId',
] as const
export type CatalogColumn = (typeof CATALOG_COLUMNS)[number]

export type CatalogRecordValues = Partial<Record<CatalogColumn, string>> & { postalCode?: string }

const MAX_REF = 190
const OSM_REF = /^(?:osm:)?((?:node|way|relation)\/\d{1,15})$/

/**
 * Returns the id of the hotel in the catalog: its own id, or a hash of its name and place, so that the same record is always the same
 * hotel.
 */
function toRef({ externalId, name = '', address = '', city = '', country = '' }: CatalogRecordValues): string {
  if (!externalId) {
    const identity = JSON.stringify([name, address, city, country].map(normalizePlaceName))
    return `import:~${createHash('sha256').update(identity).digest('hex').slice(0, 20)}`
  }
  const osm = OSM_REF.exec(externalId)
  return osm ? `osm:${osm[1]}` : `import:${externalId}`
}

/** Reads a number that is written with a point or a comma; undefined if the text is not a number. */
const readNumber = (text: string): number | undefined =>
  /^[+-]?\d{1,9}(?:[.,]\d{1,12})?$/.test(text) ? Number(text.replace(',', '.')) : undefined

/** Checks the values of one record. All problems are reported, so that a line can be corrected in one attempt. */
export function validateCatalogRecord(
  given: CatalogRecordValues,
  format: ImportedHotel['format'],
  attribution: string | null = null,
): { hotel: ImportedHotel } | { problems: string[] } {
  const values: CatalogRecordValues = Object.fromEntries(Object.entries(given).map(([key, value]) => [key, value.trim()]))
  const problems: string[] = []
  const number = (column: 'latitude' | 'longitude' | 'stars' | 'rooms', min: number, max: number, whole = false): number | null => {
    const text = values[column]
    if (!text) return null
    const value = readNumber(text)
    if (value !== undefined && value >= min && value <= max && (!whole || Number.isInteger(value))) return value
    problems.push(
      `${column} must be ${whole ? 'a whole number' : 'a number'} from ${min} to ${max}, it is ${JSON.stringify(text.slice(0, 40))}`,
    )
    return null
  }
  const name = truncateToOneLine(values.name)
  if (name === null) problems.push('name is missing')
  const country = values.country ? findCountryCode(values.country) : null
  if (values.country && country === null)
    problems.push(`country ${JSON.stringify(values.country.slice(0, 40))} is not a country or its code`)
  const [latitude, longitude] = [number('latitude', -90, 90), number('longitude', -180, 180)]
  if (!values.latitude !== !values.longitude) problems.push('latitude and longitude belong together')
  const [stars, rooms] = [number('stars', 0, 5), number('rooms', 0, 50_000, true)]
  const website = parseWebsiteUrl(values.website)
  if (values.website && website === null) problems.push(`website ${JSON.stringify(values.website.slice(0, 60))} is not a web address`)
  const ref = toRef(values)
  if (ref.length > MAX_REF) problems.push(`externalId is longer than ${MAX_REF - 'import:'.length} characters`)
  if (problems.length > 0) return { problems }
  const address = {
    street: truncateToOneLine(values.address),
    postalCode: truncateToOneLine(values.postalCode, 20),
    city: truncateToOneLine(values.city),
    country,
  }
  return {
    hotel: {
      ref,
      format,
      attribution,
      name: name!,
      address: Object.fromEntries(Object.entries(address).filter(([, value]) => value !== null)),
      latitude,
      longitude,
      stars,
      rooms,
      brand: truncateToOneLine(values.chain),
      phone: truncateToOneLine(values.phone, 60),
      website,
    },
  }
}
