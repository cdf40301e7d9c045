import type { Readable } from 'node:stream'
import type { OsmElement } from '../../../kernel/osm-hotels.ts'
import { CATALOG_COLUMNS, type CatalogRecordValues, type HotelImportRecord, validateCatalogRecord } from './imported-hotel.ts'
import { readJsonItems } from './json-items.ts'
import { toHotelImportRecord } from './read-osm.ts'

interface Feature {
  id?: unknown
  properties?: Record<string, unknown> | null
  geometry?: { type?: unknown; coordinates?: unknown } | null
}

/** Reads a GeoJSON file feature by feature: properties with the names of the CSV columns, or the tags of OpenStreetMap. */
export async function* readGeoJson(file: Readable): AsyncGenerator<HotelImportRecord> {
  let number = 0
  for await (const item of readJsonItems(file, ['features'])) yield toGeoRecord(item as Feature, `feature ${++number}`)
}

function toGeoRecord({ id, properties, geometry }: Feature, at: string): HotelImportRecord {
  const texts = new Map(
    Object.entries(properties ?? {}).flatMap(([key, value]): [string, string][] =>
      typeof value === 'string' || typeof value === 'number' ? [[key, String(value)]] : [],
    ),
  )
  const place = findCenter(geometry?.coordinates)
  const osm = /^(node|way|relation)\/(\d{1,15})$/.exec(texts.get('@id') ?? String(id ?? ''))
  if (osm && texts.has('tourism')) {
    if (texts.get('tourism') !== 'hotel') return { at: osm[0], skipped: true }
    const center = place && { lat: place[1], lon: place[0] }
    return toHotelImportRecord({
      type: osm[1] as OsmElement['type'],
      id: Number(osm[2]),
      ...(center ? { center } : {}),
      tags: Object.fromEntries(texts),
    })
  }
  if (texts.has('tourism') && texts.get('tourism') !== 'hotel') return { at, skipped: true }
  const lower = new Map([...texts].map(([key, value]) => [key.toLowerCase(), value]))
  const values: CatalogRecordValues = Object.fromEntries(
    [...CATALOG_COLUMNS, 'postalCode' as const].flatMap((column) => {
      const value = lower.get(column.toLowerCase())
      return value === undefined ? [] : [[column, value]]
    }),
  )
  const identified = values.externalId === undefined && (typeof id === 'string' || typeof id === 'number') ? { externalId: String(id) } : {}
  const located = place ? { latitude: String(place[1]), longitude: String(place[0]) } : {}
  return { at, ...validateCatalogRecord({ ...values, ...identified, ...located }, 'geojson') }
}

type Position = [longitude: number, latitude: number]

/** Returns the centre of the bounding box of a geometry; null if it has no positions. */
function findCenter(coordinates: unknown): Position | null {
  const positions: Position[] = []
  const collect = (value: unknown, depth: number): void => {
    if (!Array.isArray(value) || depth > 5) return
    if (typeof value[0] === 'number' && typeof value[1] === 'number') positions.push([value[0], value[1]])
    else for (const part of value) collect(part, depth + 1)
  }
  collect(coordinates, 0)
  if (positions.length === 0) return null
  const middle = (of: 0 | 1) => {
    const [least, most] = positions.reduce(
      ([low, high], position) => [Math.min(low, position[of]), Math.max(high, position[of])],
      [Infinity, -Infinity],
    )
    return (least! + most!) / 2
  }
  return [middle(0), middle(1)]
}
