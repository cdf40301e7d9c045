import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type HotelMatchFacts, groupRecordsOfSameHotel, normalizeHotelName, normalizeWebsite } from '../same-hotel.ts'

let made = 0
const hotel = (name: string, more: Partial<HotelMatchFacts> = {}): HotelMatchFacts => ({
  refs: [`import:${++made}`],
  name,
  city: null,
  country: null,
  postalCode: null,
  latitude: null,
  longitude: null,
  website: null,
  ...more,
})
/** A point this many meters north of the venue. */
const north = (meters: number) => ({ latitude: 38.7 + meters / 111_195, longitude: -9.14 })
const sizes = (...hotels: HotelMatchFacts[]) => groupRecordsOfSameHotel(hotels).map((group) => group.length)

describe('normalizeHotelName', () => {
  it('ignores case, accents, common words and the name of the city in hotel names', () => {
    expect(normalizeHotelName('The Grand HÔTEL & Spa')).toBe('grand')
    expect(normalizeHotelName('Ｓｃａｎｄｉｃ Plaza City Resort')).toBe('scandic plaza')
    expect(normalizeHotelName('Sheraton Lisboa', 'Lisboa')).toBe('sheraton')
  })

  it('keeps a hotel name that consists of common words only', () => {
    expect(normalizeHotelName('City Hotel')).toBe('city hotel')
    expect(normalizeHotelName('Hotel Lisboa', 'Lisboa')).toBe('lisboa')
  })
})

describe('groupRecordsOfSameHotel', () => {
  it('keeps the hotels "Hilton Garden Inn" and "Hilton" apart, also at the same address', () => {
    expect(sizes(hotel('Hilton Garden Inn', north(0)), hotel('Hilton', north(0)))).toEqual([1, 1])
    expect(
      sizes(hotel('Hilton Garden Inn Lisbon', { ...north(0), city: 'Lisbon' }), hotel('Hilton Lisbon', { ...north(10), city: 'Lisbon' })),
    ).toEqual([1, 1])
  })

  it('joins records of hotels with similar names within 250 m, but not farther apart', () => {
    expect(sizes(hotel('Hotel Mundial', north(0)), hotel('Mundial Hotel', north(249)))).toEqual([2])
    expect(sizes(hotel('Hotel Mundial', north(0)), hotel('Mundial Hotel', north(251)))).toEqual([1, 1])
    expect(sizes(hotel('Pestana Palace', north(0)), hotel('Pestana Pallace', north(20)))).toEqual([2])
    expect(sizes(hotel('Pestana Palace', north(0)), hotel('Altis Grand', north(20)))).toEqual([1, 1])
  })

  it('joins records of hotels with equal names and postal codes, without coordinates', () => {
    const [a, b] = [hotel('Hotel Central', { postalCode: '1250-114' }), hotel('central', { postalCode: '1250 114' })]
    expect(sizes(a, b)).toEqual([2])
    expect(sizes({ ...a, country: 'PT' }, { ...b, country: 'ES' })).toEqual([1, 1])
    expect(sizes(a, hotel('Central Park', { postalCode: '1250-114' }))).toEqual([1, 1])
  })

  it('joins hotel records with the same catalog id or website, except the website of a chain', () => {
    expect(sizes(hotel('A', { refs: ['osm:node/1'] }), hotel('B', { refs: ['own:1', 'osm:node/1'] }))).toEqual([2])
    const website = (address: string, meters = 0) => ({ website: address, ...north(meters) })
    expect(sizes(hotel('Alpha', website('https://www.mundial.example/')), hotel('Beta', website('http://mundial.example')))).toEqual([2])
    expect(sizes(hotel('Alpha', website('https://www.hilton.com/')), hotel('Beta', website('https://hilton.com')))).toEqual([1, 1])
    expect(sizes(hotel('Alpha', website('https://all.accor.com/')), hotel('Beta', website('https://all.accor.com')))).toEqual([1, 1])
    // The hotels of this site are 5 km apart, so the site belongs to a chain.
    expect(sizes(hotel('Alpha', website('https://small.example')), hotel('Beta', website('https://small.example', 5000)))).toEqual([1, 1])
  })

  it('joins two records of a hotel that both match a third record', () => {
    const a = hotel('Hotel Mundial', { ...north(0), refs: ['import:a'] })
    const b = hotel('Mundial', { ...north(10), refs: ['osm:node/7'] })
    const c = hotel('Grande Hotel do Mundo', { refs: ['own:3', 'osm:node/7'] })
    expect(sizes(a, c)).toEqual([1, 1])
    expect(sizes(a, b, c)).toEqual([3])
  })
})

const anyHotel = fc.record({
  refs: fc.array(fc.constantFrom('osm:node/1', 'osm:node/2', 'import:1', 'import:2', 'import:3', 'own:1'), { minLength: 1, maxLength: 2 }),
  name: fc.constantFrom('Hilton', 'Hilton Garden Inn', 'Hotel Mundial', 'Mundial', 'The Mundial Spa', 'Altis', 'Altiss'),
  city: fc.constantFrom(null, 'Lisbon'),
  country: fc.constantFrom(null, 'PT', 'ES'),
  postalCode: fc.constantFrom(null, '1000', '2000'),
  latitude: fc.constant(null as number | null),
  longitude: fc.constant(null as number | null),
  website: fc.constantFrom(null, 'https://mundial.example', 'https://www.hilton.com'),
  meters: fc.option(fc.integer({ min: 0, max: 1000 })),
})
const hotels = fc
  .array(anyHotel, { maxLength: 12 })
  .map((list) => list.map(({ meters, ...one }, index) => ({ ...one, ...(meters === null ? {} : north(meters)), index })))

describe('groupRecordsOfSameHotel with random records', () => {
  it('puts every catalog record of a hotel into exactly one group', () => {
    fc.assert(
      fc.property(hotels, (list) => {
        const grouped = groupRecordsOfSameHotel(list).flat()
        expect(grouped.map(({ index }) => index).toSorted((a, b) => a - b)).toEqual(list.map(({ index }) => index))
      }),
    )
  })

  it('returns the same groups of hotels for any order of the records', () => {
    const partition = (groups: { index: number }[][]) =>
      groups
        .map((group) =>
          group
            .map(({ index }) => index)
            .toSorted((a, b) => a - b)
            .join(),
        )
        .toSorted()
    fc.assert(
      fc.property(hotels, fc.infiniteStream(fc.nat()), (list, random) => {
        const shuffled = list.map((one) => ({ one, at: random.next().value as number })).toSorted((a, b) => a.at - b.at)
        expect(partition(groupRecordsOfSameHotel(shuffled.map(({ one }) => one)))).toEqual(partition(groupRecordsOfSameHotel(list)))
      }),
    )
  })

  it('joins two hotel records with a common id, and adds no group for one more record of a known hotel', () => {
    fc.assert(
      fc.property(
        hotels.filter((list) => list.length > 0),
        (list) => {
          const again = { ...list[0]!, index: list.length }
          expect(groupRecordsOfSameHotel([...list, again])).toHaveLength(groupRecordsOfSameHotel(list).length)
        },
      ),
    )
  })
})

describe('normalizeWebsite', () => {
  it('normalizes website addresses as people write them', () => {
    expect(normalizeWebsite('www.Mundial.example/en/')).toEqual({ host: 'mundial.example', page: 'mundial.example/en' })
    expect(normalizeWebsite('none')).toBeNull()
    expect(normalizeWebsite(null)).toBeNull()
  })
})
