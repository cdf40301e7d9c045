import { cleanUpRoomHolds } from '../../src/domains/housing/cleanup.ts'
import { createRecurringTaskContext } from '../../src/surfaces/worker/run-recurring.ts'
import { GRAND_HOTEL, createHotelAt, buildRoomAnswers, buildRoomSections } from './hotels.ts'
import { openPaymentScenario } from './payment-scenario.ts'

export const DEPOSIT = {
  guarantee: 'deposit',
  deposit: { kind: 'firstNight', value: null },
  depositRefund: [
    { daysBefore: 30, percent: 100 },
    { daysBefore: 7, percent: 50 },
  ],
}

/** A saved card at the Stripe stub, named by its behaviour. `silent` cards are charged, but the response is lost. */
export type CardScript = 'succeeded' | 'declined' | 'silent'

export type HotelWaitlist = Awaited<ReturnType<typeof openHotelWaitlist>>

/** An event with hotels that have waiting lists, whose deposits are charged at a Stripe stub. */
export async function openHotelWaitlist(
  housing: object = DEPOSIT,
  options: Parameters<typeof openPaymentScenario>[1] & { sections?: object } = {},
) {
  const { sections = {}, ...more } = options
  const paying = await openPaymentScenario({ ...buildRoomSections(housing), ...sections }, more)
  const { sales, stripe, rows } = paying
  const { world, event } = sales
  stripe.settings.chargeOutcome = (card) => card as CardScript
  let hotels = 0
  const stay = ['2026-09-01', '2026-09-04'] as const

  return {
    ...paying,
    newHotel: (rooms: number, hotel: Parameters<typeof createHotelAt>[2] = {}) =>
      createHotelAt(world, event, {
        code: `grand-${++hotels}`,
        name: `Grand ${hotels}`,
        contract: {},
        roomTypes: [{ ...GRAND_HOTEL.roomTypes[0]!, nights: GRAND_HOTEL.roomTypes[0]!.nights!.map((span) => ({ ...span, rooms })) }],
        ...hotel,
      }),
    async guest(hotelId: string, answers: object = {}, args: object = {}): Promise<string> {
      const { participant } = await sales.register({ pass: 1 }, { data: buildRoomAnswers(hotelId, ...stay, answers), ...args })
      return participant.id
    },
    /** Puts a participant on the hotel waiting list, with a saved card unless `card` is null. Returns the ids of participant and entry. */
    async waiting(hotelId: string, card: CardScript | null, args: object = {}): Promise<{ id: string; entryId: string }> {
      const { participant } = await sales.register(
        { pass: 1 },
        { data: buildRoomAnswers(hotelId, ...stay, { '@housing.waitlist': true }), ...args },
      )
      const { id } = participant as { id: string }
      if (card !== null) await this.saveCard(id, card)
      const [entry] = await rows(`select id from hotel_waitlist_entries where participant_id = $1`, [id])
      return { id, entryId: entry.id as string }
    },
    saveCard: (participantId: string, card: CardScript, { expires = '12/2030', consent = true } = {}) =>
      world.database.pool.query(
        `insert into saved_cards (tenant_id, event_id, id, participant_id, is_test_data, provider, customer_ref, method_ref, brand, last4, expires, consent_at)
         select p.tenant_id, p.event_id, p.id, p.id, p.is_test_data, case when p.is_test_data then 'sandbox' else 'stripe' end, 'cus_left', $2, 'visa', '4242', $3,
           case when $4 then lanyard_now() end from participants p where p.id = $1`,
        [participantId, card, expires, consent],
      ),
    cancel: (participantId: string) => sales.call('edit_participant', { participantId, status: 'cancelled' }),
    fill: (args: object = {}) => sales.callConfirmed('fill_hotel_waitlist', args as Record<string, unknown>),
    /** Runs the task that expires holds and offers. */
    sweep: () => cleanUpRoomHolds.run(createRecurringTaskContext(world.services, cleanUpRoomHolds.name, new Date())),
    entry: async (entryId: string) => (await rows(`select * from hotel_waitlist_entries where id = $1`, [entryId]))[0],
    /** The number of free rooms on each night. */
    freeSell: async (hotelId: string) =>
      (
        await rows(`select contracted - returned - allocated - booked - held as free from room_nights where hotel_id = $1 order by night`, [
          hotelId,
        ])
      ).map(({ free }) => free as number),
  }
}
