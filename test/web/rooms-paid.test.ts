import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cleanUpRoomHolds } from '../../src/domains/housing/cleanup.ts'
import { releaseRoomHolds } from '../../src/domains/housing/hold.ts'
import { createHotelAt, listNightCounts, buildRoomSections } from '../support/hotels.ts'
import { eventHomePath, signInVisitor } from '../support/own-pages.ts'
import { openPaymentScenario, type PaymentScenario } from '../support/payment-scenario.ts'
import { openRoomPage, roomFields } from '../support/room-pages.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'

const byCard = (sections: ReturnType<typeof buildRoomSections>) => ({
  ...sections,
  flows: sections.flows.map((flow) => ({
    ...flow,
    pages: flow.pages.map((page) => ({
      ...page,
      widgets: page.widgets.map((widget) => (widget.type === 'payment' ? { ...widget, methods: ['card', 'bank'] } : widget)),
    })),
  })),
})

describe('hotel room with a deposit', () => {
  let checkout: PaymentScenario
  let served: Served
  let hotelId: string
  beforeAll(async () => {
    const sections = byCard(buildRoomSections({ guarantee: 'deposit', deposit: { kind: 'firstNight' } }))
    checkout = await openPaymentScenario(sections, { baseUrl: await chooseFreeBaseUrl() })
    served = await serve(checkout.sales.world, { extras: { cards: checkout.sales.world.services.cards } })
    hotelId = await createHotelAt(checkout.sales.world, checkout.sales.event)
  })
  afterAll(() => checkout.end())

  it('charges the room deposit with the order, holds the room while the payment is pending, and guarantees it afterwards', async () => {
    const at = await openRoomPage(served, checkout.sales.event, { method: 'card' })
    await at.fill('rooms', roomFields(hotelId, '2026-09-01', '2026-09-04'))
    const summary = await at.open('summary')
    // The payment is 900.00 for the pass and 222.63 for the first night with its fee and tax.
    for (const expected of ['€222.63', '€1,122.63', 'Pay €1,122.63']) expect(summary.text).toContain(expected)
    const gone = await at.finish()
    expect(gone.status).toBe(303)
    const [charge] = await checkout.rows(`select id, amount from charges order by created_at desc limit 1`)
    expect(charge.amount).toBe(112_263)
    await checkout.sales.world.clock.stopAt('2026-04-10T10:20:00Z')
    const { transact } = checkout.sales.world.database
    await cleanUpRoomHolds.run({ transact } as Parameters<typeof cleanUpRoomHolds.run>[0])
    expect(
      (await listNightCounts(checkout.sales.world, hotelId)).map(([, , , , held]) => held),
      'held longer than 15 minutes',
    ).toEqual([1, 1, 1])
    checkout.stripe.pay(charge.id)
    await checkout.returnFromPayment(charge.id)
    expect((await listNightCounts(checkout.sales.world, hotelId)).map(([, , , booked, held]) => [booked, held])).toEqual([
      [1, 0],
      [1, 0],
      [1, 0],
    ])
    const [row] = await checkout.rows(
      `select o.total, o.balance, s.guarantee_status, s.charging from reservations s join orders o on o.participant_id = s.participant_id where s.hotel_id = $1`,
      [hotelId],
    )
    expect(row).toMatchObject({ total: 112_263, balance: 0, guarantee_status: 'secured', charging: false })
    await checkout.mustAddUp()
    await checkout.sales.world.clock.stopAt('2026-04-10T10:00:00Z')
  })

  it('completes the registration without the room and refunds the deposit if the room is no longer available when the payment arrives', async () => {
    const lastRoom = await createHotelAt(checkout.sales.world, checkout.sales.event, { code: 'one', name: 'One' })
    const { group } = await checkout.sales.call('create_managed_group', {
      name: 'Payers',
      kind: 'other',
      payBy: 'group',
      flowSlug: 'attendee',
    })
    for (const payBy of ['members', 'group']) {
      const at = await openRoomPage(served, checkout.sales.event, { method: 'card' })
      const [row] = await checkout.rows('select id from participants where email = $1', [at.email])
      if (payBy === 'group') await checkout.rows('update participants set group_id = $2 where id = $1', [row.id, group.id])
      await at.fill('rooms', roomFields(lastRoom, '2026-09-01', '2026-09-02'))
      await at.finish()
      const [charge] = await checkout.rows(`select id, amount from charges where participant_id = $1`, [row.id])
      expect(charge.amount).toBe(payBy === 'group' ? 22_263 : 112_263)
      // The hold is lost and the hotel takes the room back.
      await checkout.at((ctx) => releaseRoomHolds(ctx, row.id))
      await checkout.rows('update room_nights set returned = contracted where hotel_id = $1', [lastRoom])
      checkout.stripe.pay(charge.id)
      await checkout.returnFromPayment(charge.id)
      await checkout.runDueCalls()
      expect(await checkout.statusOf(row.id)).toBe('complete')
      expect(checkout.stripe.refunds.at(-1)).toMatchObject({ amount: 22_263 })
      expect((await checkout.rows('select flag from charges where id = $1', [charge.id]))[0].flag).toContain(
        'The room is no longer available',
      )
      expect((await checkout.mails(row.id)).toSorted()).toEqual(['payment.refunded', 'registration.completed'])
      expect(
        await checkout.rows(`select 1 from reservations where participant_id = $1 and status in ('held', 'confirmed')`, [row.id]),
      ).toEqual([])
      await checkout.rows('update room_nights set returned = 0 where hotel_id = $1', [lastRoom])
    }
    await checkout.mustAddUp()
  })

  it('releases a held room when the payment can no longer succeed', async () => {
    const other = await createHotelAt(checkout.sales.world, checkout.sales.event, { code: 'other', name: 'Other' })
    const at = await openRoomPage(served, checkout.sales.event, { method: 'card' })
    await at.fill('rooms', roomFields(other, '2026-09-01', '2026-09-03'))
    await at.finish()
    const [charge] = await checkout.rows(`select id from charges where status = 'pending' order by created_at desc limit 1`)
    await checkout.sales.world.clock.stopAt('2026-04-10T10:32:00Z')
    await checkout.runDueCalls()
    expect((await checkout.rows('select status from charges where id = $1', [charge.id]))[0].status).toBe('failed')
    expect((await listNightCounts(checkout.sales.world, other)).map(([, , , , held]) => held)).toEqual([0, 0, 0])
    await checkout.sales.world.clock.stopAt('2026-04-10T10:00:00Z')
    await checkout.mustAddUp()
  })
})

describe('hotel room guaranteed by a card', () => {
  let checkout: PaymentScenario
  let served: Served
  beforeAll(async () => {
    checkout = await openPaymentScenario(buildRoomSections({ guarantee: 'card' }), { baseUrl: await chooseFreeBaseUrl() })
    served = await serve(checkout.sales.world, { extras: { cards: checkout.sales.world.services.cards } })
  })
  afterAll(() => checkout.end())

  it('asks for consent after the registration, then for the card at the processor, and then marks the room as guaranteed', async () => {
    const hotelId = await createHotelAt(checkout.sales.world, checkout.sales.event)
    const at = await openRoomPage(served, checkout.sales.event)
    expect((await at.open('rooms')).text).toContain('You need a card to secure the room')
    await at.fill('rooms', roomFields(hotelId, '2026-09-01', '2026-09-03'))
    expect((await at.finish()).location).toMatch(/\/done$/)
    expect((await at.open('done')).text).toContain('Secure your hotel room')
    const guarantee = async () => (await checkout.rows(`select guarantee_kind, guarantee_status, saved_card_id from reservations`))[0]
    expect(await guarantee()).toMatchObject({ guarantee_kind: 'card', guarantee_status: 'pending' })
    const who = await signInVisitor(checkout.sales.world, served, checkout.sales.event, at.email)
    const housing = `${eventHomePath(checkout.sales.event)}/housing`
    expect((await who.get(housing)).text).toContain('Secure your room with a card by Monday')
    expect((await who.post(housing, { do: 'card' })).status, 'not without consent').toBe(400)
    const leads = await who.post(housing, { do: 'card', consent: 'on' })
    expect(leads.status).toBe(303)
    const [setup] = await checkout.rows('select id, consent from card_setups')
    expect(setup.consent).toContain('This card may be charged if I do not arrive')
    checkout.stripe.saveCard(setup.id)
    expect((await who.get(`${housing}?setup=${setup.id}`)).location).toContain('done=secured')
    expect(await guarantee()).toMatchObject({ guarantee_status: 'secured', saved_card_id: expect.any(String) })
    expect((await who.get(housing)).text).toContain('Secured')
  })
})
