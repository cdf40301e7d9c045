import { expect } from 'vitest'
import { checkIntegrity } from '../../orders/integrity/check.ts'
import { createHotelAt, listNightCounts, buildRoomSections, inEventTransaction } from '../../../../test/support/hotels.ts'
import { useSalesScenario, newAttendee } from '../../../../test/support/sales-scenario.ts'
import { listStays } from '../reservations.ts'

const REFUNDS = [
  { daysBefore: 30, percent: 100 },
  { daysBefore: 7, percent: 50 },
]
export const deposits = { guarantee: 'deposit', deposit: { kind: 'firstNight', value: null }, depositRefund: REFUNDS }

/** Sets up an event with hotels, and helpers for tests about rooms. */
export function roomsStory() {
  const scenario = useSalesScenario(buildRoomSections({ minNights: 2, maxNights: 5 }))

  let made = 0
  const newHotel = (hotel: Parameters<typeof createHotelAt>[2] = {}) =>
    createHotelAt(scenario.world, scenario.event, { code: `grand-${++made}`, ...hotel })
  const king = (rooms: number, more: object = {}) => [
    {
      code: 'king',
      name: 'King room',
      beds: ['king'],
      maxOccupancy: 2,
      nights: [{ from: '2026-09-01', until: '2026-09-04', rooms, single: 18900, double: 21900 }],
      ...more,
    },
  ]
  const nights = (hotelId: string) => listNightCounts(scenario.world, hotelId)
  const at = <T>(run: Parameters<typeof inEventTransaction<T>>[2]) => inEventTransaction(scenario.world, scenario.event, run)
  const register = (answers: object, more: object = {}) => scenario.register({ pass: 1 }, { data: answers, ...more })
  const refused = (answers: object, more: object = {}) =>
    scenario.refused('add_participant', { flowSlug: 'attendee', data: { ...newAttendee(), '@product.pass': 1, ...answers }, ...more })
  const stay = async (participantId: string) => (await at((ctx) => listStays(ctx, [participantId])))[0]!
  const sound = async () => {
    const found = await checkIntegrity(scenario.world.database.read, scenario.event.tenantId, scenario.event.eventId)
    expect(found.filter(({ ok }) => !ok)).toEqual([])
  }
  return { story: scenario, newHotel, king, nights, at, register, refused, stay, sound }
}
