import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { storeHotels } from '../../../domains/hotel-catalog/import/store.ts'
import type { ImportedHotel } from '../../../domains/hotel-catalog/import/imported-hotel.ts'
import { cacheHotels } from '../../../domains/hotel-catalog/provider-cache.ts'
import { incrementSupplierHistoryCount } from '../../../domains/suppliers/suppliers.ts'
import { type HotelServers, startHotelServers } from '../../../../test/support/hotel-servers.ts'
import { inEventTransaction } from '../../../../test/support/hotels.ts'
import { type Internet, startInternet } from '../../../../test/support/internet.ts'
import { openSalesScenario, type SalesScenario } from '../../../../test/support/sales-scenario.ts'
import { EXAMPLE_NEED, createSourcingFixtures } from '../../../../test/support/sourcing.ts'

const PORTO = { latitude: 41.1496, longitude: -8.611 }
/** A point the given number of kilometers north of the center of Porto. */
const north = (km: number) => ({ latitude: PORTO.latitude + km / 111.195, longitude: PORTO.longitude })

let scenario: SalesScenario
let server: HotelServers
let internet: Internet
/** Pages by URL without the scheme. */
const pages = new Map<string, string>()

beforeAll(async () => {
  scenario = await openSalesScenario()
  server = await startHotelServers()
  internet = await startInternet(({ url }, response) => {
    const page = pages.get(url)
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' }).end(page ?? 'Not found')
  })
  scenario.world.services.fetcher = internet.fetcher
})
afterAll(async () => {
  server.close()
  await scenario.world.end()
  await internet.stop()
})
beforeEach(() => {
  pages.clear()
  internet.received.length = 0
  server.hotels = []
  server.answer = null
  delete scenario.world.services.hotels
})

const call = (tool: string, args: object) => scenario.call(tool, { ...args })
const refused = (tool: string, args: object) => scenario.refused(tool, { ...args })
const search = async (args: object) => (await call('search_suppliers', args)).suppliers
const names = async (args: object): Promise<string[]> => (await search(args)).map(({ name }: { name: string }) => name)
const json = JSON.stringify
const add = (name: string, more: object = {}) => createSourcingFixtures(scenario.world, scenario.event).supplier(name, more)
const count = () => scenario.queryNumber('select count(*)::int as figure from suppliers')
const useProvider = () => {
  const { world } = scenario
  world.services.hotels = server.services('overpass', (hotels) => cacheHotels(world.database.write, hotels))
}

describe('search_suppliers', () => {
  const room = (areaSqm: number, capacity: object = {}) => json([{ name: 'Hall', areaSqm, capacity }])

  beforeAll(async () => {
    await add('Atlantico Palace', { ...north(1), sleeping_rooms: 125, meeting_rooms: room(500), amenities: ['Wi-Fi', 'Parking'] })
    await add('Ribeira Center', { ...north(4), kind: 'venue', meeting_rooms: room(510), total_meeting_sqm: 900, amenities: ['Parking'] })
    await add('Douro Stated', { ...north(9), sleeping_rooms: 60, meeting_rooms: room(510, { classroom: 299 }), rfps: 4, responses: 1 })
    await add('Foz Unknown', { status: 'unverified' })
    await add('Blocked Inn', { ...north(0.5), status: 'blocked', sleeping_rooms: 900 })
  })

  it('derives room capacities from areas unless stated: 300 people in classroom style need 510 m², and 500 m² are too small', async () => {
    const largestRoomFor = { people: 300, setup: 'classroom' }
    expect(await names({ largestRoomFor })).toEqual(['Ribeira Center'])
    expect(await names({ largestRoomFor: { people: 294, setup: 'classroom' } })).toEqual([
      'Atlantico Palace',
      'Douro Stated',
      'Ribeira Center',
    ])
    expect(await names({ largestRoomFor: { people: 295, setup: 'classroom' } })).toEqual(['Douro Stated', 'Ribeira Center'])
    // A room of 510 m² seats 510 / 0.9 = 566.7 people in rows of chairs.
    expect(await names({ largestRoomFor: { people: 566, setup: 'theater' } })).toEqual(['Douro Stated', 'Ribeira Center'])
    expect(await names({ largestRoomFor: { people: 567, setup: 'theater' } })).toEqual([])
  })

  it('lists suppliers by distance within the radius, and refuses a radius without a location', async () => {
    const found = await search({ near: `${PORTO.latitude},${PORTO.longitude}`, radiusKm: 5 })
    expect(found.map(({ name, distanceKm }: { name: string; distanceKm: number }) => [name, distanceKm])).toEqual([
      ['Atlantico Palace', 1],
      ['Ribeira Center', 4],
    ])
    const all = await names({ near: `${PORTO.latitude},${PORTO.longitude}` })
    expect(all).toEqual(['Atlantico Palace', 'Ribeira Center', 'Douro Stated', 'Foz Unknown'])
    const { code, fields } = await refused('search_suppliers', { radiusKm: 5 })
    expect({ code, path: fields[0].path }).toEqual({ code: 'invalid_arguments', path: 'near' })
    expect((await refused('search_suppliers', { near: 'Nowhereville', radiusKm: 5 })).code).toBe('not_found')
  })

  it('filters suppliers by text, even if misspelt, and by kind, size and amenities', async () => {
    expect(await names({ search: 'douro' })).toEqual(['Douro Stated'])
    expect(await names({ search: 'Atlantiko Palace' })).toEqual(['Atlantico Palace'])
    expect(await names({ kind: 'venue' })).toEqual(['Ribeira Center'])
    expect(await names({ minSleepingRooms: 61 })).toEqual(['Atlantico Palace'])
    expect(await names({ minTotalSqm: 501 })).toEqual(['Douro Stated', 'Ribeira Center'])
    expect(await names({ minTotalSqm: 500 })).toEqual(['Atlantico Palace', 'Douro Stated', 'Ribeira Center'])
    expect(await names({ amenities: ['wifi', 'parking'] })).toEqual(['Atlantico Palace'])
    expect(await names({ status: 'unverified' })).toEqual(['Foz Unknown'])
  })

  it('lists blocked suppliers only on request', async () => {
    expect(await names({})).not.toContain('Blocked Inn')
    expect(await names({ status: 'blocked' })).toEqual(['Blocked Inn'])
  })

  it('ranks suppliers by fit for a brief', async () => {
    const { briefId } = await call('start_or_advance_brief', { answers: { ...EXAMPLE_NEED, mustHaves: ['wifi', 'parking'] } })
    const found = await search({ briefId })
    // The first supplier gets 30 for rooms, 20 × 0.9 for place, 10 for amenities and 5 for history of 70 points.
    expect(found.map(({ name, fit }: { name: string; fit: number }) => [name, fit])).toEqual([
      ['Atlantico Palace', 90],
      ['Ribeira Center', 52.9],
      ['Foz Unknown', 50],
      ['Douro Stated', 34.1],
    ])
    const pages_: string[] = []
    for (let cursor: string | undefined; ;) {
      const page = await call('search_suppliers', { briefId, limit: 1, ...(cursor ? { cursor } : {}) })
      pages_.push(page.suppliers[0].name)
      if (page.nextCursor === null) break
      cursor = page.nextCursor
    }
    expect(pages_).toEqual(found.map(({ name }: { name: string }) => name))
  })

  it('returns each supplier once across pages', async () => {
    const first = await call('search_suppliers', { limit: 2 })
    const second = await call('search_suppliers', { limit: 2, cursor: first.nextCursor })
    expect([...first.suppliers, ...second.suppliers].map(({ name }) => name)).toEqual(await names({}))
    expect(second.nextCursor).toBeNull()
  })

  it('never shows suppliers of another client or tenant', async () => {
    const { world, event } = scenario
    const other = await world.client({ tenant: 'elsewhere' })
    const sibling = await world.client()
    for (const client of [other, sibling]) {
      const place = await world.event({ at: client })
      const stranger = await world.organizer({ at: client })
      expect((await stranger.call('search_suppliers', { eventCode: place.eventCode, clientCode: client.clientCode })).suppliers).toEqual([])
    }
    expect(event.clientId).not.toBe(sibling.clientId)
  })
})

describe('incrementSupplierHistoryCount', () => {
  it('adds one to the RFP count of the given suppliers only', async () => {
    const { world, event } = scenario
    const [one, other] = [await add('Counted'), await add('Not Counted')]
    await inEventTransaction(world, event, (ctx) => incrementSupplierHistoryCount(ctx, [one], 'rfps'))
    await inEventTransaction(world, event, (ctx) => incrementSupplierHistoryCount(ctx, [one], 'rfps'))
    await inEventTransaction(world, event, (ctx) => incrementSupplierHistoryCount(ctx, [one, other], 'responses'))
    const found = await search({ search: 'Counted' })
    expect(found.map(({ id, history }: { id: string; history: object }) => [id, history])).toEqual(
      expect.arrayContaining([
        [one, { rfps: 2, responses: 1, awards: 0 }],
        [other, { rfps: 0, responses: 1, awards: 0 }],
      ]),
    )
  })
})

const HOTEL = {
  '@context': 'https://schema.org',
  '@type': 'Hotel',
  name: 'Hotel Lisboa Mar',
  address: {
    '@type': 'PostalAddress',
    streetAddress: 'Rua do Mar 1',
    postalCode: '1200-001',
    addressLocality: 'Lisbon',
    addressCountry: 'Portugal',
  },
  geo: { '@type': 'GeoCoordinates', latitude: 38.71, longitude: '-9.14' },
  starRating: { '@type': 'Rating', ratingValue: '4' },
  numberOfRooms: 210,
  amenityFeature: [
    { name: 'Wi-Fi', value: true },
    { name: 'Pool', value: false },
  ],
}
const page = (body: string, ld: unknown = HOTEL) =>
  `<html><head><title>x</title><script type="application/ld+json">${json(ld)}</script></head><body>${body}</body></html>`
const ROOMS = `<table><tr><th>Room</th><th>Size (m²)</th><th>Theatre</th><th>Classroom</th><th>U-Shape</th></tr>
<tr><td>Atl&acirc;ntico</td><td>510</td><td>560</td><td>300</td><td>–</td></tr>
<tr><td>Tejo &amp; Mar</td><td>1.200,5</td><td>1,300</td><td></td><td>90</td></tr>
<tr><td>Sala</td><td>48 m²</td><td>40</td><td>24</td><td>18</td></tr><tr><td>Total</td><td>1758</td><td></td><td></td><td></td></tr></table>`

describe('discover_supplier', () => {
  it('reads name, address and three rooms from JSON-LD and a capacity table, and creates one supplier in two calls', async () => {
    pages.set(
      'lisboa-mar.example/',
      page(
        '<a href="/meetings">Meetings</a> <a href="mailto:sales@lisboa-mar.example?subject=x">Mail</a><a href="tel:+351 21 000 000">Call</a>',
      ),
    )
    pages.set('lisboa-mar.example/meetings', page(ROOMS, {}))
    const before = await count()
    const first = await call('discover_supplier', { url: 'https://lisboa-mar.example/' })
    expect(first.merged).toBeUndefined()
    expect(first.supplier).toMatchObject({
      name: 'Hotel Lisboa Mar',
      kind: 'hotel',
      status: 'unverified',
      address: { street: 'Rua do Mar 1', postalCode: '1200-001', city: 'Lisbon', country: 'PT' },
      latitude: 38.71,
      longitude: -9.14,
      stars: 4,
      sleepingRooms: 210,
      amenities: ['Wi-Fi'],
      website: 'https://lisboa-mar.example',
      contacts: [{ email: 'sales@lisboa-mar.example', phone: '+351 21 000 000' }],
      meetingRooms: [
        { name: 'Atlântico', areaSqm: 510, capacity: { theater: 560, classroom: 300 } },
        { name: 'Tejo & Mar', areaSqm: 1200.5, capacity: { theater: 1300, ushape: 90 } },
        { name: 'Sala', areaSqm: 48, capacity: { theater: 40, classroom: 24, ushape: 18 } },
      ],
      sources: [{ kind: 'page', ref: 'https://lisboa-mar.example' }],
    })
    expect(first.fields).toEqual(
      expect.arrayContaining([
        { name: 'name', value: 'Hotel Lisboa Mar', source: 'json-ld', confidence: 'high' },
        expect.objectContaining({ name: 'meetingRooms', source: 'table', confidence: 'medium' }),
        expect.objectContaining({ name: 'contacts', source: 'link' }),
      ]),
    )
    const second = await call('discover_supplier', { url: 'https://lisboa-mar.example/' })
    expect(second).toMatchObject({ merged: first.supplier.id, supplier: { id: first.supplier.id, revision: first.supplier.revision } })
    expect(await count()).toBe(before + 1)
  })

  it('reads at most five other pages of the same website, and pages about meetings first', async () => {
    const links = Array.from({ length: 8 }, (_, n) => `<a href="/page-${n}">Page ${n}</a>`).join('')
    pages.set(
      'many.example/',
      page(
        `${links}<a href="https://other.example/meetings">x</a><a href="/conference-rooms#top">Conference</a><a href="/brochure.pdf">PDF</a>`,
      ),
    )
    await call('discover_supplier', { url: 'http://many.example/', save: false })
    expect(internet.received.map(({ url }) => url)).toEqual([
      'many.example/',
      'many.example/conference-rooms',
      'many.example/page-0',
      'many.example/page-1',
      'many.example/page-2',
      'many.example/page-3',
    ])
  })

  it('returns a discovered supplier without saving it if save is false', async () => {
    const before = await count()
    pages.set('preview.example/', page(ROOMS, { ...HOTEL, name: 'Preview House' }))
    const { supplier } = await call('discover_supplier', { url: 'https://preview.example/', save: false })
    expect(supplier).toMatchObject({ name: 'Preview House', status: 'unverified' })
    expect(supplier.id).toBeUndefined()
    expect(await count()).toBe(before)
  })

  it('fills only empty fields of an existing supplier', async () => {
    const id = await add('Fill Hotel', {
      identity: 'fill|pt|1200001',
      address: json({ city: 'Lisbon', postalCode: '1200-001', country: 'PT' }),
      sleeping_rooms: 99,
      contacts: json([{ email: 'typed@fill.example' }]),
      status: 'verified',
    })
    pages.set('fill.example/', page(ROOMS, { ...HOTEL, name: 'Fill' }))
    const { merged, supplier } = await call('discover_supplier', { url: 'https://fill.example/' })
    expect(merged).toBe(id)
    expect(supplier).toMatchObject({
      id,
      name: 'Fill Hotel',
      status: 'verified',
      sleepingRooms: 99,
      contacts: [{ email: 'typed@fill.example' }],
      stars: 4,
      address: { street: 'Rua do Mar 1', city: 'Lisbon' },
    })
    expect(supplier.meetingRooms).toHaveLength(3)
  })

  it('reads areas in square feet, OpenGraph data and pages about a venue', async () => {
    const table = `<table><tr><td>Hall</td><td>Sq. Ft.</td><td>Reception</td></tr><tr><td>Main</td><td>5,490</td><td>600</td></tr></table>`
    pages.set(
      'hall.example/',
      `<meta property="og:site_name" content="The Hall"><meta property="og:locality" content="Porto"><meta property="og:country-name" content="PT">${table}`,
    )
    const { supplier, fields } = await call('discover_supplier', { url: 'https://hall.example/', kind: 'venue' })
    expect(supplier).toMatchObject({
      name: 'The Hall',
      kind: 'venue',
      address: { city: 'Porto', country: 'PT' },
      meetingRooms: [{ name: 'Main', areaSqm: 510, capacity: { reception: 600 } }],
    })
    expect(fields.find(({ name }: { name: string }) => name === 'name')).toMatchObject({ source: 'opengraph', confidence: 'low' })
  })

  it('refuses private addresses, pages without supplier data, and addresses that do not respond', async () => {
    internet.names.set('inside.example', ['10.0.0.8'])
    for (const url of ['http://127.0.0.1/', 'http://10.1.2.3/', 'https://inside.example/', 'http://[::1]/']) {
      const { code, message } = await refused('discover_supplier', { url })
      expect({ code, message }).toEqual({ code: 'invalid_arguments', message: expect.stringContaining('not a public address') })
    }
    expect(internet.received).toEqual([])
    pages.set('empty.example/', '<title>Welcome</title><meta property="og:title" content="Welcome">')
    expect((await refused('discover_supplier', { url: 'https://empty.example/' })).code).toBe('not_found')
    expect((await refused('discover_supplier', { url: 'https://missing.example/' })).code).toBe('unavailable')
    expect((await refused('discover_supplier', {})).code).toBe('invalid_arguments')
    expect((await refused('discover_supplier', { name: 'Fill' })).fields[0].path).toBe('city')
  })

  it('searches for a supplier by name only if a provider is configured', async () => {
    const { code, message } = await refused('discover_supplier', { name: 'Yeatman', city: 'Porto' })
    expect({ code, message }).toEqual({ code: 'unavailable', message: expect.stringContaining('LANYARD_HOTEL_CATALOG') })
    useProvider()
    server.hotels = [
      {
        id: 7,
        name: 'The Yeatman',
        lat: 41.134,
        lon: -8.613,
        tags: { rooms: '109', stars: '5', 'addr:city': 'Porto', 'addr:country': 'PT' },
      },
      { id: 8, name: 'Infante Sagres', lat: 41.147, lon: -8.613 },
    ]
    const { supplier, merged } = await call('discover_supplier', { name: 'Yeatman Hotel', city: 'Porto' })
    expect(merged).toBeUndefined()
    expect(supplier).toMatchObject({
      name: 'The Yeatman',
      sleepingRooms: 109,
      stars: 5,
      sources: [{ kind: 'provider', ref: 'osm:node/7' }],
    })
    expect((await call('discover_supplier', { name: 'Yeatman', city: 'Porto' })).merged).toBe(supplier.id)
    expect((await refused('discover_supplier', { name: 'Grand Budapest', city: 'Porto' })).code).toBe('not_found')
  })

  it('creates one supplier when the same one is discovered concurrently', async () => {
    pages.set('race.example/', page(ROOMS, { ...HOTEL, name: 'Race House' }))
    const before = await count()
    const found = await Promise.all([1, 2, 3, 4].map(() => call('discover_supplier', { url: 'https://race.example/' })))
    expect(new Set(found.map(({ supplier }) => supplier.id)).size).toBe(1)
    expect(await count()).toBe(before + 1)
  })
})

describe('discover_suppliers_from_criteria', () => {
  const BRAGA = { latitude: 41.5503, longitude: -8.42 }
  const at = (km: number) => ({ latitude: BRAGA.latitude + km / 111.195, longitude: BRAGA.longitude })
  const imported = (id: string, name: string, km: number, more: Partial<ImportedHotel> = {}): ImportedHotel => ({
    ref: `import:${id}`,
    format: 'csv',
    attribution: null,
    name,
    address: { city: 'Braga', country: 'PT' },
    ...at(km),
    stars: null,
    rooms: null,
    brand: null,
    phone: null,
    website: null,
    ...more,
  })
  const criteria = { place: 'Braga', radiusKm: 10, kind: 'hotel', minSleepingRooms: 100 }
  const rankingOf = ({ candidates }: { candidates: { name: string; fit: number }[] }) => candidates.map(({ name, fit }) => [name, fit])

  beforeAll(async () => {
    await storeHotels(scenario.world.database.write, [
      imported('a', 'Hotel Minho', 0, { rooms: 150, stars: 4 }),
      imported('b', 'Bom Jesus', 5, { rooms: 100, stars: 4 }),
      imported('c', 'Small Inn', 1, { rooms: 30 }),
      imported('d', 'Unknown Size', 1),
      imported('e', 'Far Away', 40, { rooms: 500 }),
    ])
    const place = (km: number) => ({ ...at(km), address: json({ city: 'Braga', country: 'PT' }) })
    await add('Own Braga', { ...place(2), identity: 'own|pt|braga', sleeping_rooms: 120, rfps: 2, responses: 2 })
    await add('Bad Braga', { ...place(1), identity: 'bad|pt|braga', sleeping_rooms: 500, status: 'blocked' })
  })

  it("ranks the client's suppliers and catalog hotels by fit, and saves no new supplier in the second call", async () => {
    const before = await count()
    const preview = await call('discover_suppliers_from_criteria', { criteria, save: false })
    expect({ saved: preview.saved, count: await count() }).toEqual({ saved: 0, count: before })
    const dry = await call('discover_suppliers_from_criteria', { criteria, dryRun: true })
    expect({ saved: dry.saved, count: await count() }).toEqual({ saved: 3, count: before })
    const first = await call('discover_suppliers_from_criteria', { criteria })
    expect(first.saved).toBe(3)
    expect(first.candidates.map(({ name, new: isNew }: { name: string; new: boolean }) => [name, isNew])).toEqual([
      ['Own Braga', false],
      ['Hotel Minho', true],
      ['Bom Jesus', true],
      ['Unknown Size', true],
    ])
    // Own: 30, 20 × 0.8 and 10 of 60 points. Minho: history is unknown. Jesus: half of the radius. Unknown: half of the rooms as well.
    expect(rankingOf(first).map(([, fit]) => fit)).toEqual([93.3, 91.7, 75, 63.3])
    const second = await call('discover_suppliers_from_criteria', { criteria })
    expect(second.saved).toBe(0)
    expect(rankingOf(second)).toEqual(rankingOf(first))
    expect(second.candidates.every((one: { new: boolean; supplierId?: string }) => !one.new && one.supplierId !== undefined)).toBe(true)
    expect(await count()).toBe(before + 3)
    expect(first.candidates[3]).toMatchObject({ unknown: ['rooms', 'history'], reasons: [expect.stringContaining('km from the center')] })
  })

  it('merges a hotel that both the catalog and the provider list, and saves only the suppliers with the best rank', async () => {
    useProvider()
    server.hotels = [
      { id: 1, name: 'Minho', ...toNode(at(0)), tags: { rooms: '90' } },
      { id: 2, name: 'Provider Palace', ...toNode(at(0.5)), tags: { rooms: '300' } },
      { id: 3, name: 'Second Palace', ...toNode(at(3)), tags: { rooms: '300' } },
    ]
    const { candidates, saved, sources } = await call('discover_suppliers_from_criteria', { criteria, limit: 3 })
    const found = candidates.map(({ name }: { name: string }) => name)
    expect(found).toContain('Provider Palace')
    expect(found.filter((name: string) => name.includes('Minho'))).toHaveLength(1)
    expect(candidates).toHaveLength(3)
    expect(saved).toBe(1)
    expect(sources.map(({ name, status }: { name: string; status: string }) => [name, status])).toEqual(
      expect.arrayContaining([
        ['local', 'ok'],
        ['overpass', 'ok'],
      ]),
    )
  })

  it('finds suppliers for a brief, and refuses unknown locations and calls with both a brief and criteria', async () => {
    const { briefId } = await call('start_or_advance_brief', { answers: { ...EXAMPLE_NEED, cities: ['Braga'] } })
    const { candidates } = await call('discover_suppliers_from_criteria', { briefId, limit: 1 })
    // The first gets 30 for rooms, 20 for place and half of 10 for history of 60 points, the second 30 × 0.96, 20 × 0.8 and 10.
    expect(candidates).toEqual([expect.objectContaining({ name: 'Hotel Minho', fit: 91.7, new: false })])
    const vague = await call('start_or_advance_brief', { answers: { cities: ['Qwxyzville'] } })
    expect((await refused('discover_suppliers_from_criteria', { briefId: vague.briefId })).code).toBe('not_found')
    expect((await refused('discover_suppliers_from_criteria', { criteria: { ...criteria, place: 'Qwxyzville' } })).code).toBe('not_found')
    expect((await refused('discover_suppliers_from_criteria', {})).code).toBe('invalid_arguments')
    expect((await refused('discover_suppliers_from_criteria', { briefId, criteria })).code).toBe('invalid_arguments')
  })
})

const toNode = ({ latitude, longitude }: { latitude: number; longitude: number }) => ({ lat: latitude, lon: longitude })
