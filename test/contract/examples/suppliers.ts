import { createSourcingFixtures } from '../../support/sourcing.ts'
import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'
import { startBrief } from './briefs.ts'
import { event } from './registration.ts'

/** Creates a supplier of the stage's client and returns its id. */
export const createSupplier = (stage: Stage, more: object = {}): Promise<string> => {
  const name = `Palace ${stage.text()}`
  return createSourcingFixtures(stage.world, stage.home).supplier(name, {
    latitude: 48.86,
    longitude: 2.33,
    sleeping_rooms: 200,
    total_meeting_sqm: 900,
    meeting_rooms: JSON.stringify([{ name: 'Hall', areaSqm: 510, capacity: { theater: 560 } }]),
    amenities: ['wifi'],
    ...more,
  })
}

async function createSuppliers(stage: Stage): Promise<void> {
  for (let n = 0; n < 3; n++) await createSupplier(stage)
}

let hotels = 0

/** A hotel of the event that is not a supplier yet. */
async function addHotel(stage: Stage, place: { latitude: number; longitude: number; city: string; country: string }): Promise<void> {
  const { latitude, longitude, city, country } = place
  await stage.admin.call('add_hotel_from_catalog', {
    ...event(stage),
    name: `Inn ${stage.text()}`,
    address: { street: `Street ${++hotels}`, postalCode: '101', city, country },
    // Hotels with similar names at one place count as the same hotel.
    latitude: latitude + (hotels % 40) / 100,
    longitude: longitude + (Math.floor(hotels / 40) % 40) / 100,
  })
}

const PARIS = { latitude: 48.86, longitude: 2.33, city: 'Paris', country: 'FR' }
const REYKJAVIK = { latitude: 64.14, longitude: -21.93, city: 'Reykjavík', country: 'IS' }

const criteria = { place: '48.86,2.33', radiusKm: 50, kind: 'hotel', minSleepingRooms: 50, minTotalSqm: 100, stars: 1, amenities: ['wifi'] }

export const SUPPLIERS_EXAMPLES: Examples = {
  search_suppliers: [
    async (stage) => {
      await createSuppliers(stage)
      return { ...event(stage), search: 'palace', kind: 'hotel', near: '48.86,2.33', radiusKm: 5, status: 'verified' }
    },
    async (stage) => {
      await createSuppliers(stage)
      return {
        ...event(stage),
        briefId: await startBrief(stage),
        minSleepingRooms: 100,
        minTotalSqm: 500,
        largestRoomFor: { people: 300, setup: 'classroom' },
        amenities: ['wifi'],
      }
    },
  ],
  discover_supplier: [
    (stage) => ({ ...event(stage), url: `https://hotel-site.example/${encodeURIComponent(stage.text())}`, kind: 'venue', save: true }),
  ],
  discover_suppliers_from_criteria: [
    async (stage) => {
      await createSuppliers(stage)
      await addHotel(stage, PARIS)
      return { ...event(stage), criteria, limit: 50 }
    },
    async (stage) => {
      await addHotel(stage, REYKJAVIK)
      const briefId = await startBrief(stage)
      await stage.admin.call('update_brief', { ...event(stage), briefId, answers: { cities: ['Reykjavík'], radiusKm: 50 } })
      return { ...event(stage), briefId, save: true }
    },
  ],
}
