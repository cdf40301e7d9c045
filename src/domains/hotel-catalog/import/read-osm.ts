import type { Readable } from 'node:stream'
import { SaxesParser, type SaxesTagPlain } from 'saxes'
import { AppError } from '../../../kernel/errors.ts'
import { isOsmHotel, type OsmElement, toOsmHotel } from '../../../kernel/osm-hotels.ts'
import { OSM_ATTRIBUTION } from '../sources.ts'
import type { HotelImportRecord } from './imported-hotel.ts'
import { readJsonItems } from './json-items.ts'

const ELEMENT_TYPES = ['node', 'way', 'relation'] as const
const isType = (name: unknown): name is OsmElement['type'] => ELEMENT_TYPES.includes(name as OsmElement['type'])

/** Reads the elements of a JSON response of Overpass. */
export async function* readOverpassJson(file: Readable): AsyncGenerator<OsmElement> {
  for await (const item of readJsonItems(file, ['elements'])) {
    const element = item as OsmElement
    if (isType(element.type) && Number.isSafeInteger(element.id)) yield element
  }
}

/** Reads the elements of an OSM file in XML, as Overpass and `osmium` write it. */
export async function* readOsmXml(file: Readable): AsyncGenerator<OsmElement> {
  const parser = new SaxesParser()
  const complete: OsmElement[] = []
  let element: (OsmElement & { tags: Record<string, string>; nodes: number[] }) | null = null
  parser.on('error', (error) => {
    throw new AppError('invalid_arguments', `The file is not XML: ${error.message.slice(0, 120)}`)
  })
  parser.on('opentag', ({ name, attributes }: SaxesTagPlain) => {
    const number = (attribute: string) => Number(attributes[attribute])
    if (isType(name)) {
      const at = attributes['lat'] === undefined ? {} : { lat: number('lat'), lon: number('lon') }
      element = { type: name, id: number('id'), ...at, tags: {}, nodes: [] }
    } else if (!element) return
    else if (name === 'tag') element.tags[attributes['k'] ?? ''] = attributes['v'] ?? ''
    else if (name === 'nd') element.nodes.push(number('ref'))
    else if (name === 'center') element.center = { lat: number('lat'), lon: number('lon') }
    else if (name === 'bounds')
      element.bounds = { minlat: number('minlat'), minlon: number('minlon'), maxlat: number('maxlat'), maxlon: number('maxlon') }
  })
  parser.on('closetag', ({ name }) => {
    if (!isType(name) || !element) return
    complete.push(element)
    element = null
  })
  for await (const chunk of file.setEncoding('utf8') as AsyncIterable<string>) {
    parser.write(chunk)
    yield* complete.splice(0)
  }
  parser.close()
}

/**
 * Reads the hotels of an OSM extract. A way has only the ids of its nodes, so the file is read a second time for the coordinates of ways
 * that have no center.
 */
export async function* readOsmHotels(open: () => AsyncIterable<OsmElement>): AsyncGenerator<HotelImportRecord> {
  const withoutPlace: OsmElement[] = []
  for await (const element of open()) {
    const { type, nodes = [], lat, center, bounds } = element
    if (!isOsmHotel(element)) {
      if (element.tags?.['tourism'] !== undefined) yield { at: describe(element), skipped: true }
    } else if (type === 'way' && nodes.length > 0 && lat === undefined && !center && !bounds) withoutPlace.push(element)
    else yield toHotelImportRecord(element)
  }
  if (withoutPlace.length > 0) yield* locateWays(open, withoutPlace)
}

async function* locateWays(open: () => AsyncIterable<OsmElement>, ways: readonly OsmElement[]): AsyncGenerator<HotelImportRecord> {
  const wanted = new Set(ways.flatMap(({ nodes = [] }) => nodes))
  const places = new Map<number, { lat: number; lon: number }>()
  for await (const { type, id, lat, lon } of open())
    if (type === 'node' && lat !== undefined && lon !== undefined && wanted.has(id)) places.set(id, { lat, lon })
  for (const way of ways) {
    const points = (way.nodes ?? []).flatMap((id) => places.get(id) ?? [])
    yield toHotelImportRecord(points.length === 0 ? way : { ...way, center: toMiddle(points) })
  }
}

function toMiddle(points: readonly { lat: number; lon: number }[]): { lat: number; lon: number } {
  const middle = (values: readonly number[]) => (Math.min(...values) + Math.max(...values)) / 2
  return { lat: middle(points.map(({ lat }) => lat)), lon: middle(points.map(({ lon }) => lon)) }
}

const describe = ({ type, id }: OsmElement) => `${type}/${id}`

/** Converts a hotel of OpenStreetMap to a record, which lists the problems if the hotel is incomplete. */
export function toHotelImportRecord(element: OsmElement): HotelImportRecord {
  const at = describe(element)
  const hotel = toOsmHotel(element)
  if (!hotel) return { at, problems: ['name is missing'] }
  const { latitude, longitude } = hotel
  if (latitude === null || longitude === null) return { at, problems: ['has no coordinates: export it with `out center`'] }
  if (!(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)) return { at, problems: ['its coordinates are not on the globe'] }
  return { at, hotel: { ...hotel, format: 'osm', attribution: OSM_ATTRIBUTION } }
}
