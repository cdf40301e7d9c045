import { sourcingAt } from '../../support/sourcing.ts'
import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'
import { startBrief } from './briefs.ts'
import { openRooms } from './housing.ts'
import { event } from './registration.ts'

/** Creates a supplier of the stage's client and returns its id. */
export const createSupplier = (stage: Stage, more: object = {}): Promise<string> => {
  const name = `Palace ${stage.text()}`
  return sourcingAt(stage.world, stage.home).supplier(name, {
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

const criteria = { place: '48.86,2.33', radiusKm: 5, kind: 'hotel', minSleepingRooms: 50, minTotalSqm: 100, stars: 1, amenities: ['wifi'] }

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
      await openRooms(stage)
      await createSuppliers(stage)
      return { ...event(stage), criteria }
    },
    async (stage) => {
      await openRooms(stage)
      const briefId = await startBrief(stage)
      await stage.admin.call('update_brief', { ...event(stage), briefId, answers: { cities: ['Paris'] } })
      return { ...event(stage), briefId, limit: 5, save: false }
    },
  ],
}
