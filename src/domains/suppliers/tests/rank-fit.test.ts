import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inEventTransaction } from '../../../../test/support/hotels.ts'
import { createFractionGenerator } from '../../../../test/support/seeded-fraction.ts'
import { soakRounds, soakSeed } from '../../../../test/support/soak.ts'
import { type EventHandle, newWorld, type World } from '../../../../test/support/world.ts'
import { newId } from '../../../kernel/ids.ts'
import { rateSupplierFit } from '../fit.ts'
import { computeDistanceToWantedPlace, type GeocodedRequirements } from '../need.ts'
import { readAmenitySpellings, buildSupplierFitScoreSql } from '../rank-fit.ts'
import { computeTotalMeetingSqm } from '../shapes.ts'
import { selectClientSuppliers } from '../suppliers.ts'

const SUPPLIERS = 200
/** The number of needs; with the 200 suppliers these are 1,000 cases. */
const NEEDS = soakRounds(5)
const SPELLINGS = ['Wi-Fi', 'WIFI', 'wifi', 'Café', 'cafe', 'Pool', 'Step-free rooms', 'step free ROOMS', 'Parking']

let world: World
let place: EventHandle
const random = createFractionGenerator(soakSeed(30))
const whole = (max: number) => Math.floor(random() * (max + 1))
const maybe = <T>(value: T): T | null => (random() < 0.25 ? null : value)
const some = <T>(values: readonly T[]) => values.filter(() => random() < 0.3)

beforeAll(async () => {
  world = await newWorld()
  place = await world.event()
  await inEventTransaction(world, place, async ({ db, tenantId, client }) => {
    const rows = Array.from({ length: SUPPLIERS }, (_, n) => {
      const point = maybe({ latitude: 41 + random(), longitude: -9 + random() })
      const rooms = Array.from({ length: whole(3) }, (_room, index) => ({ name: `Room ${index}`, areaSqm: maybe(whole(900)) ?? undefined }))
      return {
        tenant_id: tenantId,
        client_id: client.id,
        id: newId(),
        name: `Hotel ${n}`,
        kind: 'hotel' as const,
        identity: `hotel ${n}`,
        latitude: point?.latitude ?? null,
        longitude: point?.longitude ?? null,
        sleeping_rooms: maybe(whole(900)),
        total_meeting_sqm: maybe(whole(4000)),
        meeting_rooms: JSON.stringify(rooms.map((room) => ({ ...room, capacity: {} }))),
        amenities: some(SPELLINGS),
        rfps: whole(4),
        responses: whole(4),
      }
    })
    await db.insertInto('suppliers').values(rows).execute()
  })
})
afterAll(() => world.end())

function randomNeed(): GeocodedRequirements {
  const radiusKm = maybe(1 + whole(40))
  const need = { peak: maybe(whole(500)) ?? 0, area: maybe(whole(3000)) ?? 0, radiusKm, mustHaves: some(SPELLINGS) }
  const centers = Array.from({ length: whole(2) }, () => ({ latitude: 41 + random(), longitude: -9 + random() }))
  return { need, centers, cities: [], radiusKm: radiusKm ?? 25, needsSpace: true, sources: [] }
}

describe('buildSupplierFitScoreSql', () => {
  it('calculates the same supplier fit in the database as the function rateSupplierFit, in 1,000 random cases', async () => {
    for (let round = 0; round < NEEDS; round++) {
      const located = randomNeed()
      const rated = await inEventTransaction(world, place, async (ctx) => {
        const fit = buildSupplierFitScoreSql(located, await readAmenitySpellings(ctx, located.need.mustHaves))
        return selectClientSuppliers(ctx).selectAll().select(fit.as('tenths')).execute()
      })
      expect(rated).toHaveLength(SUPPLIERS)
      const expected = rated.map((row) => {
        const km = computeDistanceToWantedPlace(located.centers, row)
        const { amenities, sleeping_rooms: sleepingRooms, rfps, responses } = row
        const facts = { sleepingRooms, totalMeetingSqm: computeTotalMeetingSqm(row), km, amenities, history: { rfps, responses } }
        return Math.round(rateSupplierFit(facts, located.need).fit * 10)
      })
      expect(rated.map(({ tenths }) => tenths)).toEqual(expected)
    }
  })
})
