import { findCountryCode } from '../../../kernel/country-names.ts'
import type { SupplierKind } from '../supplier-record.ts'
import type { MeetingRoom, SupplierAddress } from '../tables.ts'
import { buildSupplierContact } from './contacts.ts'
import { type SupplierFact, toSupplierFacts } from './facts.ts'
import { parseArea, parseNumber } from './numbers.ts'
import { toSingleLine } from './text.ts'

type Node = Record<string, unknown>

/** The schema.org types that describe suppliers. */
const KINDS: Record<string, SupplierKind> = {
  Hotel: 'hotel',
  LodgingBusiness: 'hotel',
  Resort: 'hotel',
  Motel: 'hotel',
  BedAndBreakfast: 'hotel',
  Hostel: 'hotel',
  EventVenue: 'venue',
  ConventionCenter: 'venue',
  MusicVenue: 'venue',
  StadiumOrArena: 'venue',
}

const MAX_NODES = 2000
const MAX_DEPTH = 8

const isNode = (value: unknown): value is Node => value !== null && typeof value === 'object' && !Array.isArray(value)
const listOf = (value: unknown): unknown[] => (value === undefined || value === null ? [] : Array.isArray(value) ? value : [value])
const typesOf = (node: Node) => listOf(node['@type']).map((type) => String(type).replace(/^https?:\/\/schema\.org\//, ''))

/** Lists all objects of the JSON-LD documents, outer before inner. */
function listNodes(documents: readonly unknown[]): Node[] {
  const found: Node[] = []
  const visit = (value: unknown, depth: number): void => {
    if (depth > MAX_DEPTH || found.length >= MAX_NODES) return
    if (Array.isArray(value)) for (const one of value) visit(one, depth + 1)
    if (!isNode(value)) return
    found.push(value)
    for (const one of Object.values(value)) if (typeof one === 'object') visit(one, depth + 1)
  }
  for (const document of documents) visit(document, 0)
  return found
}

const text = (value: unknown, max = 200): string | null => {
  const [one] = listOf(value)
  const written = typeof one === 'string' || typeof one === 'number' ? String(one) : isNode(one) ? text(one['name'] ?? one['@value']) : null
  return written === null ? null : toSingleLine(written, max)
}

const number = (value: unknown): number | null => {
  const [one] = listOf(value)
  if (typeof one === 'number') return Number.isFinite(one) ? one : null
  return isNode(one) ? number(one['value'] ?? one['ratingValue'] ?? one['maxValue']) : typeof one === 'string' ? parseNumber(one) : null
}

const coordinate = (value: unknown, limit: number): number | null => {
  const read = typeof value === 'number' ? value : typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN
  return Number.isFinite(read) && Math.abs(read) <= limit ? read : null
}

function readAddress(value: unknown): SupplierAddress | null {
  const [one] = listOf(value)
  if (!isNode(one)) return null
  const country = text(one['addressCountry'])
  const parts = {
    street: text(one['streetAddress']),
    postalCode: text(one['postalCode'], 20),
    city: text(one['addressLocality'], 120),
    region: text(one['addressRegion'], 120),
    country: country === null ? null : (findCountryCode(country) ?? null),
  }
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== null)) as SupplierAddress
}

function readPoint(value: unknown) {
  const [one] = listOf(value)
  if (!isNode(one)) return null
  const [latitude, longitude] = [coordinate(one['latitude'], 90), coordinate(one['longitude'], 180)]
  return latitude === null || longitude === null ? null : { latitude, longitude }
}

/** UN/CEFACT unit codes: MTK is square metres, FTK square feet. */
const UNITS: Record<string, string> = { MTK: 'm²', FTK: 'sq ft' }

function readMeetingRoom(node: Node): MeetingRoom | null {
  const name = text(node['name'], 120)
  const [size] = listOf(node['floorSize'])
  const unit = isNode(size) ? (UNITS[String(size['unitCode'])] ?? String(size['unitText'] ?? '')) : ''
  const value = number(size)
  const areaSqm = value === null ? null : parseArea(String(value), unit)
  const seats = number(node['maximumAttendeeCapacity'])
  if (name === null || (areaSqm === null && seats === null)) return null
  return {
    name,
    ...(areaSqm === null ? {} : { areaSqm }),
    // The maximum number of people that a web page gives is stored as the capacity with theatre seating (rows of chairs).
    capacity: seats === null || !Number.isInteger(seats) || seats < 1 ? {} : { theater: seats },
  }
}

const inRange = (value: number | null, min: number, max: number) => (value !== null && value >= min && value <= max ? value : null)

/** Reads facts about a supplier from the first hotel or venue in the JSON-LD of its web pages. */
export function readJsonLd(documents: readonly unknown[]): SupplierFact[] {
  const nodes = listNodes(documents)
  const supplier = nodes.find((node) => typesOf(node).some((type) => type in KINDS) && text(node['name']) !== null)
  if (!supplier) return []
  const rooms = nodes.filter((node) => typesOf(node).some((type) => type === 'MeetingRoom')).flatMap((node) => readMeetingRoom(node) ?? [])
  const sleepingRooms = inRange(number(supplier['numberOfRooms']), 0, 50_000)
  const amenities = listOf(supplier['amenityFeature'])
    .filter((feature) => !isNode(feature) || (feature['value'] !== false && feature['value'] !== 'false'))
    .flatMap((feature) => text(feature, 120) ?? [])
  const contact = buildSupplierContact({ email: text(supplier['email'], 254), phone: text(supplier['telephone'], 60) })
  return toSupplierFacts(
    {
      name: text(supplier['name'], 160),
      kind: KINDS[typesOf(supplier).find((type) => type in KINDS)!] ?? null,
      address: readAddress(supplier['address']),
      point: readPoint(supplier['geo']),
      contacts: contact ? [contact] : null,
      chain: text(supplier['brand'] ?? supplier['parentOrganization'], 120),
      stars: inRange(number(supplier['starRating']), 0, 7),
      sleepingRooms: sleepingRooms === null ? null : Math.round(sleepingRooms),
      meetingRooms: rooms.slice(0, 200),
      amenities: [...new Set(amenities)].slice(0, 100),
    },
    { source: 'json-ld', confidence: 'high' },
  )
}
