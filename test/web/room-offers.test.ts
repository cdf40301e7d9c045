import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { cleanUpRoomHolds } from '../../src/domains/housing/cleanup.ts'
import { runGuaranteeTask } from '../support/guarantees.ts'
import { GRAND_HOTEL, createHotelAt, listNightCounts, buildRoomAnswers, buildRoomSections } from '../support/hotels.ts'
import { eventHomePath, signInVisitor } from '../support/own-pages.ts'
import { openPaymentScenario, type PaymentScenario } from '../support/payment-scenario.ts'
import { hiddenFieldsIn } from '../support/registration-form.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { type VisitedPage, type Visitor, visitor } from '../support/visitor.ts'
import { createWebhookSubscription } from '../support/webhooks.ts'

const DEPOSIT = {
  guarantee: 'deposit',
  deposit: { kind: 'firstNight', value: null },
  depositRefund: [
    { daysBefore: 30, percent: 100 },
    { daysBefore: 7, percent: 50 },
  ],
}

let checkout: PaymentScenario
let served: Served
let made = 0

beforeAll(async () => {
  checkout = await openPaymentScenario(buildRoomSections(DEPOSIT), { baseUrl: await chooseFreeBaseUrl() })
  served = await serve(checkout.sales.world, { extras: { cards: checkout.sales.world.services.cards } })
})
afterAll(() => checkout.end())
beforeEach(() => at('2026-04-10T10:00:00Z'))

const at = (instant: string) => checkout.sales.world.clock.stopAt(instant)
const housing = () => `${eventHomePath(checkout.sales.event)}/housing`
const sweep = () => cleanUpRoomHolds.run({ transact: checkout.sales.world.database.transact } as Parameters<typeof cleanUpRoomHolds.run>[0])
/** Counts booked and held rooms per night. */
const taken = async (hotelId: string) =>
  (await listNightCounts(checkout.sales.world, hotelId)).map(([, , , booked, held]) => `${booked}+${held}`)
const newHotel = (rooms = 1) =>
  createHotelAt(checkout.sales.world, checkout.sales.event, {
    code: `grand-${++made}`,
    name: `Grand ${made}`,
    roomTypes: [{ ...GRAND_HOTEL.roomTypes[0]!, nights: GRAND_HOTEL.roomTypes[0]!.nights!.map((span) => ({ ...span, rooms })) }],
  })

async function guest(hotelId: string, more: object = {}, [from, until] = ['2026-09-01', '2026-09-04']) {
  const { participant } = await checkout.sales.register({ pass: 1 }, { data: buildRoomAnswers(hotelId, from!, until!, more) })
  return { id: participant.id as string, email: participant.email as string }
}
const waiting = (hotelId: string) => guest(hotelId, { '@housing.waitlist': true })
const signedIn = ({ email }: { email: string }) => signInVisitor(checkout.sales.world, served, checkout.sales.event, email)
const entryOf = async ({ id }: { id: string }) =>
  (await checkout.rows(`select id, status, reason, offered_until from hotel_waitlist_entries where participant_id = $1`, [id]))[0]
const staysOf = ({ id }: { id: string }) =>
  checkout.rows(
    `select id, status, ack_number, guarantee_status, cancel_reason from reservations where participant_id = $1 and status <> 'expired' order by created_at, id`,
    [id],
  )
/** Presses a button of a room page that was opened earlier. `word` is the button's value. */
const press = (who: Visitor, opened: VisitedPage, word: string) =>
  who.post(housing(), { ...hiddenFieldsIn(opened.html), do: word }, { csrf: null })
const balanceOf = async ({ id }: { id: string }) =>
  (await checkout.rows(`select balance from orders where participant_id = $1`, [id]))[0].balance as number
const listEmails = async ({ email }: { email: string }) =>
  (await checkout.rows(`select email_code, text_body from messages where to_address = $1 and email_code like 'housing.%' order by id`, [
    email,
  ])) as {
    email_code: string
    text_body: string
  }[]
const codesOf = async (who: { email: string }) => (await listEmails(who)).map(({ email_code }) => email_code)
/** Fills the waiting list of a hotel. No entry has a saved card, so every room is offered. */
const assignRooms = (hotelId: string) => checkout.sales.call('fill_hotel_waitlist', { hotelId })
const cancelRoom = async (who: { id: string; email: string }) => {
  const [stay] = await staysOf(who)
  return (await signedIn(who)).post(`${housing()}/${stay.id}/cancel`, {})
}

describe('hotel room that must be guaranteed', () => {
  it('sends one reminder for an unguaranteed room after half of the time, and offers the room after the deadline', async () => {
    const hotelId = await newHotel()
    const received = await createWebhookSubscription(checkout.sales.world, checkout.sales.event, {
      url: 'https://receiver.example.org/',
      kinds: ['reservation.confirmed', 'reservation.changed', 'reservation.cancelled', 'waitlist.joined', 'waitlist.promoted'],
    })
    const kinds = async () =>
      (
        await checkout.rows(`select kind from webhook_deliveries where endpoint_id = $1 order by created_at, message_id`, [
          received.endpointId,
        ])
      ).map(({ kind }) => kind)
    const ana = await guest(hotelId)
    const [ben, cem] = [await waiting(hotelId), await waiting(hotelId)]
    // The balance: 900.00 for the pass and 222.63 for the first night.
    expect([await balanceOf(ana), await taken(hotelId)]).toEqual([112_263, ['1+0', '1+0', '1+0']])
    await at('2026-04-11T21:59:59Z')
    expect([await runGuaranteeTask(checkout.sales.world), await codesOf(ana)]).toEqual([0, []])
    await at('2026-04-11T22:00:00Z')
    expect([await runGuaranteeTask(checkout.sales.world), await runGuaranteeTask(checkout.sales.world)]).toEqual([1, 0])
    const [reminder, ...others] = await listEmails(ana)
    expect([reminder!.email_code, others]).toEqual(['housing.guaranteeDue', []])
    for (const expected of ['Grand', 'Monday, 13 April 2026 at 12:00', housing()]) expect(reminder!.text_body).toContain(expected)
    await at('2026-04-13T09:59:59Z')
    expect([await runGuaranteeTask(checkout.sales.world), await taken(hotelId)]).toEqual([0, ['1+0', '1+0', '1+0']])
    const kindsBefore = await kinds()

    await at('2026-04-13T10:00:00Z')
    await runGuaranteeTask(checkout.sales.world)
    expect(await staysOf(ana)).toMatchObject([{ status: 'cancelled', cancel_reason: 'not secured in time', guarantee_status: 'notNeeded' }])
    // The room is cancelled so long before arrival that the whole deposit is credited. Only the pass is still due.
    expect([await balanceOf(ana), await taken(hotelId)]).toEqual([90_000, ['0+1', '0+1', '0+1']])
    expect(await codesOf(ana)).toEqual(['housing.guaranteeDue', 'housing.cancelled'])
    expect(await entryOf(ben)).toMatchObject({ status: 'offered', offered_until: new Date('2026-04-15T10:00:00Z') })
    expect(await entryOf(cem)).toMatchObject({ status: 'waiting' })
    expect([await codesOf(ben), await codesOf(cem)]).toEqual([['housing.offered'], []])
    expect((await listEmails(ben))[0]!.text_body).toContain('Wednesday, 15 April 2026 at 12:00')
    expect((await kinds()).slice(kindsBefore.length)).toEqual(['reservation.cancelled'])
    await runGuaranteeTask(checkout.sales.world)
    expect(await codesOf(ben), 'once').toEqual(['housing.offered'])
    await checkout.mustAddUp()
  })

  it('keeps the hotel room of a participant who paid in time or whose payment is in progress', async () => {
    const [paid, paying] = [await newHotel(), await newHotel()]
    const [ana, ben] = [await guest(paid), await guest(paying)]
    const [{ number }] = await checkout.rows(
      `select i.number from invoices i join orders o on o.id = i.order_id where o.participant_id = $1 and i.total > 0`,
      [ana.id],
    )
    await at('2026-04-13T09:50:00Z')
    await checkout.sales.callConfirmed('record_manual_payment', {
      kind: 'payment',
      amount: { amount: '1122.63', currency: 'EUR' },
      invoiceNumbers: [number],
      method: 'bank',
      reference: 'Transfer 1',
      receivedAt: '2026-04-13T09:00:00Z',
    })
    const who = await signedIn(ben)
    expect((await who.post(`${eventHomePath(checkout.sales.event)}/registration/pay`, {})).status).toBe(303)
    await at('2026-04-13T10:05:00Z')
    await runGuaranteeTask(checkout.sales.world)
    expect(await staysOf(ana)).toMatchObject([{ status: 'confirmed', guarantee_status: 'secured' }])
    expect(await staysOf(ben)).toMatchObject([{ status: 'confirmed', guarantee_status: 'pending' }])
    // The Stripe payment page expires before the participant pays.
    await at('2026-04-13T10:40:00Z')
    await checkout.runDueCalls()
    await runGuaranteeTask(checkout.sales.world)
    expect([(await staysOf(ana))[0].status, (await staysOf(ben))[0].status]).toEqual(['confirmed', 'cancelled'])
    await checkout.mustAddUp()
  })
})

/** Creates a waiting list for a full room and cancels a booking, so that the first entry of the list is offered the room. */
async function offered(more: { waits?: number } = {}) {
  const hotelId = await newHotel()
  const first = await guest(hotelId)
  const line = []
  for (let one = 0; one < (more.waits ?? 1); one++) line.push(await waiting(hotelId))
  await cancelRoom(first)
  await assignRooms(hotelId)
  const [ben] = line
  return { hotelId, line, ben: ben!, who: await signedIn(ben!), entryId: (await entryOf(ben!)).id as string }
}

describe('hotel room offer to the waiting list', () => {
  it('accepts a room offer once and from its participant only, with the deposit on their order', async () => {
    const { hotelId, ben, who, entryId, line } = await offered({ waits: 2 })
    expect((await visitor(served).get(housing())).location).toBe(
      `${eventHomePath(checkout.sales.event)}/registration/sign-in?next=${encodeURIComponent(housing())}`,
    )
    const offer = (await listEmails(ben)).find(({ email_code }) => email_code === 'housing.offered')!
    const link = /https?:\/\/\S+\/housing\b/.exec(offer.text_body)![0]
    expect(new URL(link).pathname).toBe(housing())
    const page = await who.get(new URL(link).pathname)
    for (const expected of [
      'A room is free for you',
      'Held for you until Sunday, 12 April 2026 at 12:00',
      '€690.39',
      '€222.63',
      'Accept this room',
    ])
      expect(page.text).toContain(expected)
    expect(page.text).not.toContain('You have not booked a room')
    const stranger = await signedIn(line[1]!)
    expect((await stranger.get(housing())).text).toContain('number 2 in line')
    const stolen = await press(stranger, await stranger.get(housing()), `take:${entryId}`)
    expect([stolen.status, stolen.text.includes('This offer is no longer available.')]).toEqual([400, true])
    // The participant accepts the offer three times concurrently.
    const answers = await Promise.all([1, 2, 3].map(() => press(who, page, `take:${entryId}`)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 400, 400])
    expect(answers.find(({ status }) => status === 303)!.location).toMatch(/\/registration\/pay$/)
    expect(await staysOf(ben)).toMatchObject([
      { status: 'confirmed', ack_number: expect.stringMatching(/^H-/), guarantee_status: 'pending' },
    ])
    expect([await taken(hotelId), await balanceOf(ben), (await entryOf(ben)).status]).toEqual([['1+0', '1+0', '1+0'], 112_263, 'filled'])
    expect((await codesOf(ben)).slice(-1)).toEqual(['housing.confirmed'])
    expect((await who.get(housing())).text).toContain('Pay the deposit by')
    // The registration form shows the new room.
    expect((await who.get(`${eventHomePath(checkout.sales.event)}/registration/edit/rooms`)).html).toMatch(
      new RegExp(`value="${hotelId}:king"[^>]*checked|checked[^>]*value="${hotelId}:king"`),
    )
    await checkout.mustAddUp()
  })

  it('releases an offered hotel room when the offer is declined or expires', async () => {
    const { hotelId, ben, who, entryId, line } = await offered({ waits: 2 })
    const opened = await who.get(housing())
    expect((await press(who, opened, `refuse:${entryId}`)).location).toContain('done=offerRefused')
    expect([await taken(hotelId), await entryOf(ben)]).toMatchObject([['0+0', '0+0', '0+0'], { status: 'removed', reason: 'declined' }])
    expect((await press(who, opened, `take:${entryId}`)).status).toBe(400)
    await assignRooms(hotelId)
    const late = line[1]!
    expect(await entryOf(late)).toMatchObject({ status: 'offered' })
    await at('2026-04-12T09:59:59Z')
    const slow = await signedIn(late)
    const last = await slow.get(housing())
    expect(last.text).toContain('A room is free for you')
    // An expired offer is invalid even before the cleanup task has run.
    await at('2026-04-12T10:00:00Z')
    expect((await slow.get(housing())).text).not.toContain('A room is free for you')
    expect((await press(slow, last, `take:${(await entryOf(late)).id}`)).status).toBe(400)
    await sweep()
    expect([await taken(hotelId), await entryOf(late)]).toMatchObject([
      ['0+0', '0+0', '0+0'],
      { status: 'removed', reason: 'offer_expired' },
    ])
    expect(await staysOf(late)).toEqual([])
    await checkout.mustAddUp()
  })

  it('either accepts or declines a room offer, never both', async () => {
    for (let round = 0; round < 3; round++) {
      const { hotelId, ben, who, entryId } = await offered()
      const opened = await who.get(housing())
      const answers = await Promise.all(['take', 'refuse', 'take', 'refuse'].map((word) => press(who, opened, `${word}:${entryId}`)))
      expect(answers.filter(({ status }) => status === 303)).toHaveLength(1)
      const isTaken = (await entryOf(ben)).status === 'filled'
      expect(await taken(hotelId)).toEqual(isTaken ? ['1+0', '1+0', '1+0'] : ['0+0', '0+0', '0+0'])
      expect((await staysOf(ben)).length).toBe(isTaken ? 1 : 0)
    }
    await checkout.mustAddUp()
  })

  it('offers a hotel room once, even if the waiting list is processed concurrently', async () => {
    const hotelId = await newHotel()
    const first = await guest(hotelId)
    const line = [await waiting(hotelId), await waiting(hotelId), await waiting(hotelId)]
    await cancelRoom(first)
    await Promise.all([1, 2, 3, 4].map(() => assignRooms(hotelId)))
    const statuses: string[] = []
    for (const one of line) statuses.push((await entryOf(one)).status)
    expect([statuses.toSorted(), await taken(hotelId)]).toEqual([
      ['offered', 'waiting', 'waiting'],
      ['0+1', '0+1', '0+1'],
    ])
    await checkout.mustAddUp()
  })

  it('replaces the participant’s current room without a fee when the offer is accepted, and leaves it unchanged until then', async () => {
    // From this date, cancelling a room refunds only half of the deposit.
    await at('2026-08-19T10:00:00Z')
    const [old, wanted] = [await newHotel(), await newHotel()]
    const first = await guest(wanted)
    const ana = await guest(old)
    const changing = { ...buildRoomAnswers(wanted, '2026-09-01', '2026-09-04'), '@housing.waitlist': true }
    await checkout.sales.call('edit_participant', { participantId: ana.id, data: changing })
    await cancelRoom(first)
    await assignRooms(wanted)
    expect([await taken(old), await taken(wanted)]).toEqual([
      ['1+0', '1+0', '1+0'],
      ['0+1', '0+1', '0+1'],
    ])
    const who = await signedIn(ana)
    expect((await who.get(housing())).text).toContain('This room replaces your room at Grand')
    await who.post(housing(), { do: `take:${(await entryOf(ana)).id}` })
    expect([await taken(old), await taken(wanted)]).toEqual([
      ['0+0', '0+0', '0+0'],
      ['1+0', '1+0', '1+0'],
    ])
    // The deposit of the replaced room is credited in full, and the deposit of the new room is due.
    expect(await balanceOf(ana)).toBe(112_263)
    await checkout.mustAddUp()
  })

  it('keeps a room offer open while the participant books another room for other nights', async () => {
    const [wanted, other] = [await newHotel(), await newHotel()]
    const first = await guest(wanted, {}, ['2026-09-01', '2026-09-02'])
    const ben = await guest(wanted, { '@housing.waitlist': true }, ['2026-09-01', '2026-09-02'])
    await cancelRoom(first)
    await assignRooms(wanted)
    await checkout.sales.call('edit_participant', { participantId: ben.id, data: buildRoomAnswers(other, '2026-09-03', '2026-09-04') })
    expect([await taken(wanted), await taken(other), (await entryOf(ben)).status]).toEqual([
      ['0+1', '0+0', '0+0'],
      ['0+0', '0+0', '1+0'],
      'offered',
    ])
    await checkout.mustAddUp()
  })

  it('books an offered room directly if the participant has no other room to cancel, and sends one confirmation email', async () => {
    const hotelId = await newHotel()
    const first = await guest(hotelId)
    const ben = await waiting(hotelId)
    await cancelRoom(first)
    await checkout.sales.publish(buildRoomSections({ ...DEPOSIT, guarantee: 'none' }))
    await assignRooms(hotelId)
    await checkout.sales.publish(buildRoomSections(DEPOSIT))
    expect([await taken(hotelId), (await entryOf(ben)).status, await balanceOf(ben)]).toEqual([['1+0', '1+0', '1+0'], 'filled', 90_000])
    const [filled] = await listEmails(ben)
    expect(filled!.text_body).toContain((await staysOf(ben))[0].ack_number)
    await checkout.sales.call('resend_participant_confirmation', { participantId: ben.id })
    expect(await codesOf(ben)).toEqual(['housing.filled'])
    await checkout.mustAddUp()
  })
})
