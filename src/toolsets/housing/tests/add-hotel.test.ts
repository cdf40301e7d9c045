import { describe, expect, it } from 'vitest'
import { roomsStory } from '../../../domains/housing/tests/rooms-scenario.ts'
import { findHotel } from '../../../domains/housing/find-hotel.ts'
import { addAttestation, reviewAttestation } from '../../../domains/housing/pci/records.ts'
import { storeHotels } from '../../../domains/hotel-catalog/import/store.ts'
import { inEventTransaction } from '../../../../test/support/hotels.ts'
import { createPersonAt } from '../../../../test/support/participants.ts'

const { story } = roomsStory()

let made = 0
/** Imports a hotel that is 2 km away from every other hotel of this file. */
async function importHotel(name: string): Promise<string> {
  const number = ++made
  const ref = `import:h-${number}`
  await storeHotels(story.world.database.write, [
    {
      ref,
      format: 'csv',
      attribution: null,
      name,
      address: { street: 'Rue du Bac 1', city: 'Paris', country: 'FR' },
      latitude: 48.8 + number / 50,
      longitude: 2.3,
      stars: 4,
      rooms: 120,
      brand: 'Accor',
      phone: null,
      website: null,
    },
  ])
  return ref
}

const KING = { code: 'king', name: 'King room', beds: ['king'], maxOccupancy: 2 }
const euro = (amount: string) => ({ amount, currency: 'EUR' })
const contract = (more: object = {}) => ({
  nights: [
    {
      roomTypeCode: 'king',
      from: '2026-09-01',
      until: '2026-09-04',
      contracted: 20,
      rates: { single: euro('189.00'), double: euro('219.00') },
    },
  ],
  terms: { cutoffOn: '2026-08-20' },
  ...more,
})
const add = (args: object) => story.call('add_hotel_from_catalog', { ...args })
const refused = (args: object) => story.refused('add_hotel_from_catalog', { ...args })

describe('add_hotel_from_catalog', () => {
  it('copies a catalog hotel with 3 nights of 20 king rooms, bookable only once its contract is definite and its sales are open', async () => {
    const catalogRef = await importHotel('Grand Palais')
    const petra = await createPersonAt(story.world, story.event)
    const listed = async () => (await petra.call('get_hotel_list', { checkIn: '2026-09-01', checkOut: '2026-09-04' })).hotels
    const { hotel, pci, warnings } = await add({
      catalogRef,
      roomTypes: [KING],
      contract: contract(),
      contacts: [{ name: 'Heidi', email: 'heidi@hotel.example' }],
      taxPercent: 12.5,
      feePerNight: euro('10.00'),
      feeTaxed: false,
      afterCutoff: 'closed',
    })
    expect(hotel).toEqual({
      id: expect.any(String),
      code: 'grand-palais',
      name: 'Grand Palais',
      catalogRef,
      sellStatus: 'closed',
      contractStatus: 'tentative',
      roomTypes: ['king'],
      contracted: 60,
      freeSell: 60,
    })
    expect(pci).toBe('missing')
    expect(warnings.join('\n')).toMatch(/tentative[\s\S]*Sales are closed/)
    const { rows } = await story.world.database.pool.query('select * from event_hotels where id = $1', [hotel.id])
    expect(rows[0]).toMatchObject({
      address: { street: 'Rue du Bac 1', city: 'Paris', country: 'FR' },
      stars: 4,
      brand: 'Accor',
      catalog_ref: catalogRef,
      fee_per_night: 1000,
      after_cutoff: 'closed',
      contacts: [{ name: 'Heidi', email: 'heidi@hotel.example' }],
    })
    expect(await listed()).toEqual([])
    await story.call('amend_contract', { hotelId: hotel.id, status: 'definite', reason: 'Signed by both sides' })
    expect(await listed()).toEqual([])
    await story.call('amend_contract', { hotelId: hotel.id, sellStatus: 'open', reason: 'Sales start today' })
    expect((await listed()).map(({ name }: { name: string }) => name)).toEqual(['Grand Palais'])
    expect((await story.call('get_housing_summary', { hotelId: hotel.id })).totals).toMatchObject({ contracted: 60, freeSell: 60 })
  })

  it('adds a hotel by name and address if no catalog lists it, and refuses a missing address or longitude', async () => {
    const { hotel, warnings } = await add({
      name: 'Pension Edith',
      address: { street: 'Rue Piaf 3', city: 'Paris', country: 'France' },
      latitude: 48.5,
      longitude: 2.1,
    })
    expect(hotel).toMatchObject({ code: 'pension-edith', contractStatus: 'none', contracted: 0, roomTypes: [] })
    expect(hotel).not.toHaveProperty('catalogRef')
    expect(warnings[0]).toContain('nothing can be booked')
    expect(await refused({ name: 'Pension Edith' })).toMatchObject({ code: 'invalid_arguments', fields: [{ path: 'catalogRef' }] })
    expect(await refused({ name: 'A', address: { city: 'Paris' }, latitude: 48 })).toMatchObject({ fields: [{ path: 'longitude' }] })
  })

  it('refuses a hotel that the event already has, compared by id, by name and city, or by code', async () => {
    const catalogRef = await importHotel('Bristol')
    const { hotel } = await add({ catalogRef })
    expect(await refused({ catalogRef })).toMatchObject({ code: 'conflict', message: expect.stringContaining(hotel.id) })
    const place = { latitude: 48.8 + made / 50, longitude: 2.3 }
    expect(await refused({ name: 'Hotel Bristol', address: { city: 'Paris' }, ...place })).toMatchObject({ code: 'conflict' })
    expect(await refused({ catalogRef: `own:${hotel.id}` })).toMatchObject({ code: 'conflict' })
    const other = await importHotel('Crillon')
    expect(await refused({ catalogRef: other, code: 'bristol' })).toMatchObject({ code: 'conflict' })
    // A hotel with another name of the same chain and city is a different hotel.
    expect((await add({ name: 'Bristol Garden Inn', address: { city: 'Paris' }, ...place })).hotel.code).toBe('bristol-garden-inn')
  })

  it('adds a hotel of an earlier event of the client, and appends a number to its code if the code is taken', async () => {
    const earlier = await story.world.event({ at: story.event, code: 'earlier' })
    const { hotel } = await story.olga.call('add_hotel_from_catalog', {
      eventCode: earlier.eventCode,
      name: 'Meurice',
      address: { city: 'Paris' },
    })
    expect((await add({ catalogRef: `own:${hotel.id}` })).hotel).toMatchObject({ code: 'meurice', name: 'Meurice' })
    expect((await add({ name: 'Meurice', address: { city: 'Lyon' }, latitude: 45.7, longitude: 4.8, code: undefined })).hotel.code).toBe(
      'meurice-2',
    )
  })

  it("copies the data of a hotel of another event, and attaches the client's PCI attestation", async () => {
    const earlier = await story.world.event({ at: story.event, code: 'last-year' })
    const source = await story.olga.call('add_hotel_from_catalog', {
      eventCode: earlier.eventCode,
      name: 'Lutetia',
      address: { city: 'Paris' },
      latitude: 48.4,
      longitude: 2.3,
    })
    const query = story.world.database.pool.query
    await query(
      `update event_hotels set amenities = '{pool}', description = 'Quiet', photos = '{https://lutetia.example/a.jpg}', loyalty_program = 'Stars',
         supplier_id = '0123456789abcdef01234567' where id = $1`,
      [source.hotel.id],
    )
    await query(
      `insert into files (tenant_id, id, purpose, name, mime, size, sha256, created_by)
       values ($1, 'fedcba9876543210fedcba98', 'contract', 'aoc.pdf', 'application/pdf', 1, sha256('x'), 'test')`,
      [story.event.tenantId],
    )
    await inEventTransaction(story.world, earlier, async (ctx) => {
      const { hotel } = await findHotel(ctx, source.hotel.id)
      const recordId = await addAttestation(ctx, hotel, {
        documentType: 'AOC-SAQ',
        dssVersion: '4.0.1',
        entityLegalName: 'Lutetia SA',
        propertyCovered: true,
        result: 'compliant',
        assessedOn: '2026-01-15',
        signedBy: 'Eva Lindner',
        fileId: 'fedcba9876543210fedcba98',
      })
      await reviewAttestation(ctx, hotel, { recordId, decision: 'accepted' })
    })
    const added = await add({ catalogRef: `own:${source.hotel.id}` })
    expect(added.pci).toBe('valid')
    expect(added.hotel.catalogRef).toBe(`own:${source.hotel.id}`)
    const { rows } = await query('select * from event_hotels where id = $1', [added.hotel.id])
    expect(rows[0]).toMatchObject({
      amenities: ['pool'],
      description: 'Quiet',
      photos: ['https://lutetia.example/a.jpg'],
      loyalty_program: 'Stars',
      supplier_id: '0123456789abcdef01234567',
    })
    // A copy of the copy has the same attestation.
    const next = await story.world.event({ at: story.event, code: 'next-year' })
    const again = await story.olga.call('add_hotel_from_catalog', { eventCode: next.eventCode, catalogRef: `own:${added.hotel.id}` })
    expect([again.pci, again.hotel.catalogRef]).toEqual(['valid', `own:${source.hotel.id}`])
  })

  it('refuses an unknown hotel and a contract that amend_contract would refuse, and then saves nothing', async () => {
    const catalogRef = await importHotel('Ritz')
    expect(await refused({ catalogRef: 'import:unknown' })).toMatchObject({ code: 'not_found' })
    expect(await refused({ catalogRef, roomTypes: [KING], contract: contract({ terms: { cutoffOn: '2026-09-02' } }) })).toMatchObject({
      code: 'invalid_arguments',
      fields: [{ path: 'contract.terms.cutoffOn' }],
    })
    expect(await refused({ catalogRef, contract: contract() })).toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('no room type king'),
    })
    expect(await refused({ catalogRef, roomTypes: [KING, KING] })).toMatchObject({ fields: [{ path: 'roomTypes' }] })
    expect(await refused({ catalogRef, contract: {} })).toMatchObject({ fields: [{ path: 'contract' }] })
    expect(await story.queryNumber(`select count(*)::int as figure from event_hotels where name = 'Ritz'`)).toBe(0)
    expect((await add({ catalogRef, dryRun: true })).hotel.code).toBe('ritz')
    expect(await story.queryNumber(`select count(*)::int as figure from event_hotels where name = 'Ritz'`)).toBe(0)
  })

  it('adds a hotel once for two concurrent calls', async () => {
    const catalogRef = await importHotel('Plaza')
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => story.olga.answer('add_hotel_from_catalog', { eventCode: story.event.eventCode, catalogRef })),
    )
    expect(answers.filter(({ isError }) => !isError)).toHaveLength(1)
    for (const { isError, content } of answers) if (isError) expect(content[0]!.text).toContain('already')
  })

  it('prevents a second row for the same catalog hotel in the database', async () => {
    const catalogRef = await importHotel('Guarded')
    await add({ catalogRef })
    const again = () =>
      story.world.database.pool.query(
        `insert into event_hotels (tenant_id, event_id, id, code, name, catalog_ref)
         select tenant_id, event_id, '0123456789abcdef01234567', 'again', name, catalog_ref from event_hotels where catalog_ref = $1`,
        [catalogRef],
      )
    await expect(again()).rejects.toThrow('event_hotels_of_catalog')
    // The control: without the index the second row is stored.
    await story.world.database.pool.query('drop index event_hotels_of_catalog')
    await again()
    await story.world.database.pool.query(`delete from event_hotels where code = 'again'`)
    await story.world.database.pool.query(
      'create unique index event_hotels_of_catalog on event_hotels (tenant_id, event_id, catalog_ref) where catalog_ref is not null and not retired',
    )
  })
})
