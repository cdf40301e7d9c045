import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PrivatePostgres, startPostgres } from '../../scripts/postgres.ts'
import { scheduleDepositCharge } from '../../src/domains/checkout/hotel-waitlist/deposit-charge.ts'
import { getHotelWaitlistEntry, findHeldRoom } from '../../src/domains/housing/waitlist-entries.ts'
import { checkIntegrity } from '../../src/domains/orders/integrity/check.ts'
import { findCardWithChargeConsent } from '../../src/domains/payments/saved-cards.ts'
import { DEPOSIT } from '../support/hotel-waitlist.ts'
import { createHotelAt, inEventTransaction, buildRoomAnswers, buildRoomSections, contractRoomsPerNight } from '../support/hotels.ts'
import { openServedSale, type ServedSale } from '../support/served-sale.ts'
import { chooseForSoak } from '../support/soak.ts'
import { startStripeServer } from '../support/stripe-server.ts'
import type { ToolAnswer } from '../support/world.ts'

/** How often a service is killed, and how often the database is killed. */
const KILLS = chooseForSoak(20, 1)
const ENTRIES = chooseForSoak(120, 24)
/** How long a kill waits for a charge before it checks whether anyone is left to charge. */
const CHARGE_MS = 2000
const CALLS_AT_ONCE = 10
/** Starts are slow on a busy machine. */
const LIMIT = 600_000 + KILLS * 150_000
const [FROM, UNTIL] = ['2027-05-10', '2027-05-13']

const tokenOf = ({ structuredContent }: ToolAnswer) => (structuredContent as { confirmToken?: string } | undefined)?.confirmToken

/**
 * Fills a waiting list over HTTP with two processes, while three of ten responses of the card processor are lost. Requires PostgreSQL's
 * programs on this machine.
 */
describe.skipIf(!process.env['TEST_DATABASE_URL'])('filling a hotel waiting list', () => {
  let postgres: PrivatePostgres
  let sale: ServedSale
  let stripe: Awaited<ReturnType<typeof startStripeServer>>
  beforeAll(async () => {
    postgres = await startPostgres({ durable: true })
    stripe = await startStripeServer()
    const settings = { LANYARD_PAYMENTS_PROVIDER: 'stripe', STRIPE_SECRET_KEY: 'sk_of_the_test', STRIPE_API_BASE: stripe.address }
    sale = await openServedSale(buildRoomSections(DEPOSIT), { processes: 2, server: postgres.url, settings })
    await Promise.all([sale.start(0), sale.start(1)])
  }, LIMIT)
  afterAll(async () => {
    await sale.end()
    stripe.close()
    await postgres.stop()
  }, LIMIT)

  const query = async (text: string, values: unknown[] = []) => (await sale.sales.world.database.pool.query<any>(text, values)).rows
  /** Reads while the database may be restarting. */
  const eventually = async <T>(read: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await read()
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    }
  }
  let hotels = 0

  /** A hotel whose rooms became free, and people with saved cards who waited for them. Every sixth card is declined. */
  async function queue(entries: number, rooms: number) {
    const { world, event } = sale.sales
    const hotelId = await createHotelAt(world, event, {
      code: `house-${++hotels}`,
      contract: {},
      roomTypes: [{ code: 'king', name: 'King', maxOccupancy: 2, nights: [{ from: FROM!, until: UNTIL!, rooms: 0, single: 18900 }] }],
    })
    for (let person = 0; person < entries; person++) {
      const { participant } = await sale.sales.register(
        { pass: 1 },
        { data: buildRoomAnswers(hotelId, FROM!, UNTIL!, { '@housing.waitlist': true }) },
      )
      await query(
        `insert into saved_cards (tenant_id, event_id, id, participant_id, is_test_data, provider, customer_ref, method_ref, consent_at)
         values ($1, $2, $3, $3, false, 'stripe', 'cus_left', $4, lanyard_now())`,
        [event.tenantId, event.eventId, participant.id, person % 6 === 5 ? 'declined' : 'succeeded'],
      )
    }
    await contractRoomsPerNight(query, hotelId, rooms)
    const ids = (await query('select id from hotel_waitlist_entries where hotel_id = $1 order by position', [hotelId])).map(({ id }) => id)
    return { hotelId, entryIds: ids as string[] }
  }

  /** The entries whose card was charged at the processor, once per successful charge. */
  async function chargedEntries(): Promise<string[]> {
    const charges = await query('select id, hotel_entry_id from charges where hotel_entry_id is not null')
    const entryOf = new Map(charges.map(({ id, hotel_entry_id }) => [id as string, hotel_entry_id as string]))
    return [...stripe.intents.values()].flatMap(({ metadata, status }) =>
      status === 'succeeded' && entryOf.has(metadata['charge']!) ? [entryOf.get(metadata['charge']!)!] : [],
    )
  }
  const integrity = async () => {
    const { database } = sale.sales.world
    const found = await checkIntegrity(database.read, sale.sales.event.tenantId, sale.sales.event.eventId)
    expect(found.filter(({ ok }) => !ok)).toEqual([])
  }
  const openCharges = () => query(`select id from charges where status in ('pending', 'unknown')`)

  it(
    `charges each card once if ${CALLS_AT_ONCE} concurrent calls give rooms to the same waiting list entries`,
    { timeout: LIMIT },
    async () => {
      stripe.settings.chargeOutcome = (card) => (card === 'declined' ? 'declined' : 'succeeded')
      const { entryIds } = await queue(5, 5)
      const args = { entryIds, onDecline: 'skip' }
      const previews = await Promise.all(
        Array.from({ length: CALLS_AT_ONCE }, (_, call) =>
          sale.callUntilAnswered('fill_hotel_waitlist', { ...args, dryRun: true, idempotencyKey: `fill ${call}` }),
        ),
      )
      const answers = await Promise.all(
        previews.map(async (preview, call) =>
          sale.tryCall(call % 2, 'fill_hotel_waitlist', {
            ...args,
            idempotencyKey: `fill ${call}`,
            confirmToken: tokenOf(preview),
          }),
        ),
      )
      // One call charges the cards; for the others nothing is left to confirm.
      expect(answers.filter((answer) => answer && !answer.isError)).toHaveLength(1)
      await expect.poll(openCharges, { interval: 500, timeout: LIMIT }).toEqual([])
      expect((await chargedEntries()).toSorted()).toEqual(entryIds.toSorted())
      await integrity()
    },
  )

  it(
    `charges each waiting list entry at most once and holds no room without an entry after ${KILLS} kills of a service and ${KILLS} of the database`,
    { timeout: LIMIT },
    async () => {
      const houses = [await queue(ENTRIES, ENTRIES)]
      stripe.settings.chargeOutcome = (card) => {
        const luck = Math.random()
        return luck < 0.2 ? 'silent' : luck < 0.3 ? 'proxy' : card === 'declined' ? 'declined' : 'succeeded'
      }
      let over = false
      let calls = 0
      const filler = async (place: number) => {
        while (!over) {
          const key = `kill ${place} ${++calls}`
          const args = { hotelId: houses[calls % houses.length]!.hotelId, onDecline: 'skip', count: 4 }
          const preview = await sale.tryCall(place, 'fill_hotel_waitlist', { ...args, dryRun: true, idempotencyKey: key })
          const token = preview && tokenOf(preview)
          if (token) await sale.tryCall(place, 'fill_hotel_waitlist', { ...args, idempotencyKey: key, confirmToken: token })
          else await new Promise((resolve) => setTimeout(resolve, 50))
        }
      }
      const fillers = [filler(0), filler(1)]
      const asked = () => stripe.requests.filter(({ method, path }) => method === 'POST' && path === '/v1/payment_intents').length
      const waiting = () =>
        eventually(() =>
          query(
            `select w.id from hotel_waitlist_entries w join saved_cards s on s.participant_id = w.participant_id
             where w.hotel_id = any($1) and w.status = 'waiting' and s.method_ref = 'succeeded'`,
            [houses.map(({ hotelId }) => hotelId)],
          ),
        )
      /**
       * Waits until a card is being charged. On a slow machine all cards may be charged before the last kill: then more people are added.
       */
      const nextCharge = async () => {
        const before = asked()
        for (;;) {
          const until = performance.now() + CHARGE_MS
          while (asked() === before && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 1))
          if (asked() > before) return
          if ((await waiting()).length === 0) houses.push(await queue(ENTRIES / 4, ENTRIES / 4))
        }
      }
      for (let kill = 0; kill < 2 * KILLS; kill++) {
        await nextCharge()
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 60))
        if (kill % 2 === 1) await postgres.crash()
        else {
          await sale.kill(kill % 4 === 0 ? 0 : 1)
          await sale.start(kill % 4 === 0 ? 0 : 1)
        }
      }
      stripe.settings.chargeOutcome = (card) => (card === 'declined' ? 'declined' : 'succeeded')
      await expect.poll(waiting, { interval: 500, timeout: LIMIT }).toEqual([])
      over = true
      await Promise.all(fillers)
      await expect.poll(() => eventually(openCharges), { interval: 500, timeout: LIMIT }).toEqual([])

      const entryIds = houses.flatMap((house) => house.entryIds)
      const charged = (await chargedEntries()).filter((id) => entryIds.includes(id))
      expect(new Set(charged).size, 'entries charged twice').toBe(charged.length)
      const filled = await query(`select id from hotel_waitlist_entries where id = any($1) and status = 'filled' order by id`, [entryIds])
      expect(filled.map(({ id }) => id)).toEqual(charged.toSorted())
      for (const house of houses) {
        const nights = await query('select contracted, booked, held from room_nights where hotel_id = $1 order by night', [house.hotelId])
        const booked = charged.filter((id) => house.entryIds.includes(id)).length
        expect(nights).toEqual([1, 2, 3].map(() => ({ contracted: house.entryIds.length, booked, held: 0 })))
      }
      expect(
        await query(`select p.id from payments p join charges c on c.provider_ref = p.provider_ref where c.hotel_entry_id = any($1)`, [
          entryIds,
        ]),
      ).toHaveLength(charged.length)
      await integrity()
    },
  )

  it('control: charges a card twice if the hotel waiting list is filled without idempotency keys', { timeout: LIMIT }, async () => {
    const { world, event } = sale.sales
    const { entryIds } = await queue(1, 1)
    const [entryId] = entryIds as [string]
    stripe.settings.chargeOutcome = () => 'proxy'
    const args = { entryIds, idempotencyKey: 'control' }
    const preview = await sale.callUntilAnswered('fill_hotel_waitlist', { ...args, dryRun: true })
    await sale.callUntilAnswered('fill_hotel_waitlist', { ...args, confirmToken: tokenOf(preview) })
    const [{ fill_id: fillId }] = await query('select fill_id from hotel_waitlist_fill_entries where entry_id = $1', [entryId])
    /** A second fill that does not notice the charge in progress. */
    const chargeAgain = () =>
      inEventTransaction(world, event, async (ctx) => {
        const entry = await getHotelWaitlistEntry(ctx, entryId)
        const card = await findCardWithChargeConsent(ctx, { participantId: entry.participant_id, provider: 'stripe' })
        const held = await findHeldRoom(ctx, entryId)
        await scheduleDepositCharge(fillId, { here: false })(ctx, {
          entry,
          held: held!,
          attempt: 2,
          amount: 22_263,
          currency: 'EUR',
          card: card!,
        })
      })
    await expect(chargeAgain()).rejects.toThrow(/out of turn/)
    await query('drop trigger charges_in_turn on charges')
    await expect(chargeAgain()).rejects.toThrow(/charges_once_per_hotel_entry/)
    await query('drop index charges_once_per_hotel_entry')
    await chargeAgain()
    stripe.settings.chargeOutcome = () => 'succeeded'
    await expect.poll(openCharges, { interval: 500, timeout: LIMIT }).toEqual([])
    expect((await chargedEntries()).filter((id) => id === entryId)).toHaveLength(2)
  })
})
