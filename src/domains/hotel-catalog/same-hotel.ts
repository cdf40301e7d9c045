import { computeJaroWinkler } from '../../kernel/jaro-winkler.ts'
import { computeExactDistanceKm } from '../housing/distance.ts'

/** Facts that decide whether two records are the same hotel. */
export interface HotelMatchFacts {
  refs: readonly string[]
  name: string
  city: string | null
  country: string | null
  postalCode: string | null
  latitude: number | null
  longitude: number | null
  website: string | null
}

const NAME_SIMILARITY = 0.92
const NEARBY_KM = 0.25
/** Maximum distance between records with the same website that are one hotel. A website of distant hotels belongs to a chain. */
const ONE_PLACE_KM = 2

/** Words that sources add to a hotel's name or leave out. */
const COMMON_WORDS = new Set(['hotel', 'the', 'resort', 'spa', 'city'])

/** Website hosts with pages of many hotels, mostly of hotel chains and booking portals. */
const CHAIN_HOSTS = new Set(
  (
    'accor.com accorhotels.com all.accor.com bestwestern.com booking.com choicehotels.com fourseasons.com hilton.com hotels.com hyatt.com ibis.com ihg.com ' +
    'kempinski.com leonardo-hotels.com marriott.com maritim.com melia.com motel-one.com nh-hotels.com novotel.com pestana.com premierinn.com ' +
    'radissonhotels.com ritzcarlton.com scandichotels.com sofitel.com starwoodhotels.com travelodge.co.uk wyndhamhotels.com'
  ).split(' '),
)

const foldWords = (text: string): string[] =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)

/**
 * Normalizes the name of a hotel for comparison: without case and accents, common words and the name of its city. Never empty for a name
 * with letters.
 */
export function normalizeHotelName(name: string, city: string | null = null): string {
  const words = foldWords(name)
  const place = new Set(city === null ? [] : foldWords(city))
  const own = words.filter((word) => !COMMON_WORDS.has(word) && !place.has(word))
  const kept = own.length > 0 ? own : words.filter((word) => !COMMON_WORDS.has(word))
  return (kept.length > 0 ? kept : words).join(' ')
}

/** Returns host and path of a website, without `www.` and a final slash; null if it is no web address. */
export function normalizeWebsite(website: string | null): { host: string; page: string } | null {
  if (website === null) return null
  const address = /^https?:\/\//i.test(website) ? website : `https://${website}`
  if (!URL.canParse(address)) return null
  const { hostname, pathname } = new URL(address)
  const host = hostname.toLowerCase().replace(/^www\./, '')
  return host.includes('.') ? { host, page: host + pathname.replace(/\/+$/, '') } : null
}

const isKnownChainHost = (host: string) => CHAIN_HOSTS.has(host) || CHAIN_HOSTS.has(host.split('.').slice(-2).join('.'))

const equalIfKnown = (a: string | null, b: string | null) => a === null || b === null || a === b
const squashPostalCode = (code: string | null) => code?.replace(/[\s-]+/g, '').toUpperCase() || null

/** Whether two records have the name and place of the same hotel. Ids and websites are compared by `groupRecordsOfSameHotel`. */
function hasSameNameAndPlace(a: Prepared, b: Prepared): boolean {
  if (a.name === '' || b.name === '') return false
  const distance = computeExactDistanceKm(a.hotel, b.hotel)
  if (distance !== null && distance <= NEARBY_KM && computeJaroWinkler(a.name, b.name) >= NAME_SIMILARITY) return true
  return a.name === b.name && a.postalCode !== null && a.postalCode === b.postalCode && equalIfKnown(a.hotel.country, b.hotel.country)
}

interface Prepared {
  hotel: HotelMatchFacts
  name: string
  postalCode: string | null
  website: { host: string; page: string } | null
}

const prepare = (hotel: HotelMatchFacts): Prepared => ({
  hotel,
  name: normalizeHotelName(hotel.name, hotel.city),
  postalCode: squashPostalCode(hotel.postalCode),
  website: normalizeWebsite(hotel.website),
})

/** Groups the records of each hotel, in the order of their first record. */
export function groupRecordsOfSameHotel<H extends HotelMatchFacts>(hotels: readonly H[]): H[][] {
  const prepared = hotels.map(prepare)
  const sets = createDisjointSets(hotels.length)
  const joinEqual = (keysOf: (one: Prepared) => readonly string[]) => {
    const first = new Map<string, number>()
    for (const [index, one] of prepared.entries())
      for (const key of keysOf(one)) {
        const known = first.get(key)
        if (known === undefined) first.set(key, index)
        else sets.join(known, index)
      }
  }
  joinEqual(({ hotel }) => hotel.refs)
  const shared = findSharedHosts(prepared)
  joinEqual(({ website }) => (website === null || isKnownChainHost(website.host) || shared.has(website.host) ? [] : [website.page]))
  for (const [a, b] of listNeighbours(prepared)) if (hasSameNameAndPlace(prepared[a]!, prepared[b]!)) sets.join(a, b)
  const groups = new Map<number, H[]>()
  for (const [index, hotel] of hotels.entries()) {
    const root = sets.find(index)
    const group = groups.get(root)
    if (group) group.push(hotel)
    else groups.set(root, [hotel])
  }
  return [...groups.values()]
}

/** Finds hosts of websites that are shared by hotels far away from each other. */
function findSharedHosts(prepared: readonly Prepared[]): Set<string> {
  const byHost = Map.groupBy(
    prepared.filter(({ website, hotel }) => website !== null && hotel.latitude !== null),
    ({ website }) => website!.host,
  )
  const lieApart = (of: readonly Prepared[]) =>
    of.some((one, index) => of.slice(index + 1).some((other) => computeExactDistanceKm(one.hotel, other.hotel)! > ONE_PLACE_KM))
  return new Set([...byHost].filter(([, of]) => lieApart(of)).map(([host]) => host))
}

/**
 * Height in degrees of the bands of latitude by which hotels are grouped. A degree of latitude has 111 km, so hotels within 250 m of each
 * other are in the same or a neighbouring band.
 */
const ROW_DEGREES = 0.0025

/** Lists the pairs of records that can be the same hotel: close to each other, or with the same name and postal code. */
function* listNeighbours(prepared: readonly Prepared[]): Generator<[number, number]> {
  const rows = new Map<number, number[]>()
  const byPostalCode = new Map<string, number[]>()
  const add = <K>(groups: Map<K, number[]>, key: K, index: number) => {
    const group = groups.get(key)
    if (group) group.push(index)
    else groups.set(key, [index])
  }
  for (const [index, { hotel, name, postalCode }] of prepared.entries()) {
    if (postalCode !== null) {
      for (const other of byPostalCode.get(`${postalCode} ${name}`) ?? []) yield [other, index]
      add(byPostalCode, `${postalCode} ${name}`, index)
    }
    if (hotel.latitude === null) continue
    const row = Math.floor(hotel.latitude / ROW_DEGREES)
    for (const near of [row - 1, row, row + 1]) for (const other of rows.get(near) ?? []) yield [other, index]
    add(rows, row, index)
  }
}

/** Union-find over the numbers below `size`. The smallest number of a set is its root. */
function createDisjointSets(size: number) {
  const parents = Array.from({ length: size }, (_, index) => index)
  const find = (index: number): number => {
    let root = index
    while (parents[root] !== root) root = parents[root]!
    for (let at = index; at !== root;) [at, parents[at]] = [parents[at]!, root]
    return root
  }
  return {
    find,
    join(a: number, b: number) {
      const [one, other] = [find(a), find(b)]
      parents[Math.max(one, other)] = Math.min(one, other)
    },
  }
}
