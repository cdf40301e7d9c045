import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestFolder } from '../../../../test/support/folder.ts'
import { newWorld, type World } from '../../../../test/support/world.ts'
import { importCatalogFile } from '../import/import-file.ts'

let world: World
const folder = createTestFolder()
beforeAll(async () => {
  world = await newWorld()
})
afterAll(async () => {
  await world.end()
  await rm(folder, { recursive: true, force: true })
})
beforeEach(() => world.database.pool.query('delete from catalog_hotels'))

async function importText(name: string, content: string | Buffer) {
  const path = join(folder, name)
  await writeFile(path, content)
  return importCatalogFile(path, world.database.transact)
}
const stored = async () => (await world.database.pool.query('select * from catalog_hotels order by ref')).rows

const CSV = `name,address,city,country,latitude,longitude,stars,rooms,chain,phone,website,externalId
Hotel Mundial,Praça Martim Moniz 2,Lisbon,Portugal,38.7155,-9.1363,4,350,,+351 218 842 000,https://mundial.example,m-1
"Altis, Grand","Rua Castilho 11",Lisbon,PT,38.7203,-9.1497,5,303,Altis,,www.altis.example,
`

describe('importCatalogFile', () => {
  it('imports a CSV file of hotels, and changes nothing when the same file is imported again', async () => {
    expect(await importText('hotels.csv', CSV)).toEqual({
      format: 'CSV',
      read: 2,
      added: 2,
      changed: 0,
      unchanged: 0,
      skipped: 0,
      bad: 0,
      problems: [],
    })
    const before = await stored()
    expect(before.find(({ ref }) => ref === 'import:m-1')).toMatchObject({
      name: 'Hotel Mundial',
      street: 'Praça Martim Moniz 2',
      country: 'PT',
      latitude: 38.7155,
      rooms: 350,
      website: 'https://mundial.example',
    })
    expect(before.find(({ name }) => name === 'Altis, Grand')).toMatchObject({ brand: 'Altis', website: 'https://www.altis.example' })
    expect(await importText('again.csv', CSV)).toMatchObject({ added: 0, changed: 0, unchanged: 2 })
    expect(await stored()).toEqual(before)
  })

  it('updates the imported hotels that differ from the file', async () => {
    await importText('hotels.csv', CSV)
    expect(await importText('hotels.csv', CSV.replace(',350,', ',351,'))).toMatchObject({ added: 0, changed: 1, unchanged: 1 })
    expect(new Set((await stored()).map(({ rooms }) => rooms))).toEqual(new Set([303, 351]))
  })

  it('reports every invalid line of the file with its problems, and imports the other lines', async () => {
    const bad = `name;city;country;latitude;longitude;stars;rooms;externalId
Good;Lisbon;PT;38,7155;-9,1363;4;10;g-1
;Lisbon;PT;38.7;-9.1;4;10;g-2
High;Lisbon;Atlantis;480;-9.1;6;ten;g-3
Half;Lisbon;PT;38.7;;4;10;g-4
Good again;Lisbon;PT;38.7;-9.1;4;10;g-1
`
    const report = await importText('bad.csv', bad)
    expect(report).toMatchObject({ read: 5, added: 1, bad: 4 })
    expect(report.problems).toEqual([
      { at: 'line 3', problems: ['name is missing'] },
      {
        at: 'line 4',
        problems: [
          'country "Atlantis" is not a country or its code',
          'latitude must be a number from -90 to 90, it is "480"',
          'stars must be a number from 0 to 5, it is "6"',
          'rooms must be a whole number from 0 to 50000, it is "ten"',
        ],
      },
      { at: 'line 5', problems: ['latitude and longitude belong together'] },
      { at: 'line 6', problems: ['is the same hotel as line 2 (import:g-1)'] },
    ])
  })

  it('rejects a file without a name column, an empty file and other formats', async () => {
    await expect(importText('x.csv', 'hotel,city\nA,B\n')).rejects.toThrow('Only name is required, and it is missing')
    await expect(importText('empty.csv', '')).rejects.toThrow('no records')
    await expect(importText('x.osm.pbf', Buffer.from([0, 0, 0, 13]))).rejects.toThrow('cannot be read')
    await expect(importText('cut.geojson', '{"type":"FeatureCollection","features":[{"type":')).rejects.toThrow('not complete')
    await expect(importCatalogFile(join(folder, 'missing.csv'), world.database.transact)).rejects.toThrow('cannot be read (ENOENT)')
  })

  it('imports hotels from GeoJSON with the columns of the catalog or with OSM tags', async () => {
    const feature = (id: string | undefined, coordinates: unknown, properties: object) => ({
      type: 'Feature',
      ...(id === undefined ? {} : { id }),
      geometry: { type: 'Point', coordinates },
      properties,
    })
    const features = [
      feature('f-1', [-9.1363, 38.7155], { name: 'Hotel "Mundial" }]', rooms: 350, Country: 'PT' }),
      feature('node/5', [-9.14, 38.71], { '@id': 'node/5', tourism: 'hotel', name: 'Lutecia', stars: '4S', 'addr:city': 'Lisboa' }),
      feature('node/6', [-9.14, 38.71], { '@id': 'node/6', tourism: 'museum', name: 'Museum' }),
      {
        ...feature(
          undefined,
          [
            [
              [-9, 38],
              [-9.2, 38.2],
            ],
          ],
          { name: 'Area' },
        ),
        geometry: {
          type: 'Polygon',
          coordinates: [
            [
              [-9, 38],
              [-9.2, 38.2],
            ],
          ],
        },
      },
    ]
    const report = await importText('hotels.geojson', JSON.stringify({ type: 'FeatureCollection', features }, null, 1))
    expect(report).toMatchObject({ format: 'GeoJSON', read: 4, added: 3, skipped: 1, bad: 0 })
    const rows = await stored()
    expect(rows.find(({ ref }) => ref === 'import:f-1')).toMatchObject({ name: 'Hotel "Mundial" }]', rooms: 350, attribution: null })
    expect(rows.find(({ ref }) => ref === 'osm:node/5')).toMatchObject({
      stars: 4.5,
      city: 'Lisboa',
      attribution: expect.stringContaining('ODbL'),
    })
    const area = rows.find(({ name }) => name === 'Area')!
    expect([area['latitude'], area['longitude']]).toEqual([38.1, -9.1])
  })

  const elements = [
    { type: 'node', id: 1, lat: 38.7, lon: -9.1 },
    { type: 'node', id: 2, lat: 38.702, lon: -9.102 },
    { type: 'node', id: 3, lat: 38.71, lon: -9.13, tags: { tourism: 'hotel', name: 'Nodal & Sons', rooms: '20' } },
    { type: 'way', id: 4, nodes: [1, 2, 1], tags: { tourism: 'hotel', name: 'By nodes' } },
    {
      type: 'way',
      id: 5,
      center: { lat: 38.72, lon: -9.14 },
      tags: { tourism: 'hotel', name: 'By center', 'contact:website': 'center.example' },
    },
    { type: 'relation', id: 6, tags: { tourism: 'hotel', name: 'Nowhere' } },
    { type: 'node', id: 7, lat: 38.7, lon: -9.1, tags: { tourism: 'hotel' } },
    { type: 'node', id: 8, lat: 38.7, lon: -9.1, tags: { tourism: 'hostel', name: 'Beds' } },
  ]
  const escaped = (text: string) => text.replaceAll('&', '&amp;')
  const xml = `<?xml version="1.0"?><osm version="0.6">${elements
    .map((e) => {
      const at = 'lat' in e ? ` lat="${e.lat}" lon="${e.lon}"` : ''
      const parts = [
        ...('nodes' in e ? e.nodes!.map((ref) => `<nd ref="${ref}"/>`) : []),
        ...('center' in e ? [`<center lat="${e.center!.lat}" lon="${e.center!.lon}"/>`] : []),
        ...Object.entries(e.tags ?? {}).map(([k, v]) => `<tag k="${k}" v="${escaped(v)}"/>`),
      ]
      return `<${e.type} id="${e.id}"${at}>${parts.join('')}</${e.type}>`
    })
    .join('\n')}</osm>`

  it.each([
    ['extract.json', JSON.stringify({ version: 0.6, generator: 'Overpass', osm3s: { copyright: '"x": [{' }, elements }), 'Overpass JSON'],
    ['extract.osm', xml, 'OSM XML'],
    ['extract.osm.gz', gzipSync(xml), 'OSM XML'],
  ])('imports an OSM extract: %s', async (name, content, format) => {
    const report = await importText(name, content)
    expect(report).toMatchObject({ format, added: 3, skipped: 1, bad: 2 })
    expect(report.problems).toEqual([
      { at: 'relation/6', problems: ['has no coordinates: export it with `out center`'] },
      { at: 'node/7', problems: ['name is missing'] },
    ])
    expect((await stored()).map(({ ref, name: called, latitude, website }) => [ref, called, latitude, website])).toEqual([
      ['osm:node/3', 'Nodal & Sons', 38.71, null],
      ['osm:way/4', 'By nodes', 38.701, null],
      ['osm:way/5', 'By center', 38.72, 'https://center.example'],
    ])
    expect(await importText(name, content)).toMatchObject({ added: 0, changed: 0, unchanged: 3 })
  })

  it('imports hotels in batches and reports the progress', async () => {
    const lines = Array.from({ length: 2500 }, (_, n) => `Hotel ${n},${(n % 90) + 0.5},${n % 180},e-${n}`)
    const path = join(folder, 'many.csv')
    await writeFile(path, `name,latitude,longitude,externalId\n${lines.join('\n')}\n`)
    const seen: number[] = []
    const report = await importCatalogFile(path, world.database.transact, (read) => seen.push(read))
    expect([report.added, seen]).toEqual([2500, [1000, 2000]])
  })
})
