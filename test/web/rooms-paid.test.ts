import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cleanUpRooms } from '../../src/domains/housing/cleanup.ts'
import { hotelAt, nightsAt, withRooms } from '../support/hotels.ts'
import { homeOf, personSignedIn } from '../support/own-pages.ts'
import { openPaying, type Paying } from '../support/paying.ts'
import { atRooms, wants } from '../support/room-pages.ts'
import { freeBaseUrl, serve, type Served } from '../support/server.ts'

const byCard = (sections: ReturnType<typeof withRooms>) => ({
  ...sections,
  flows: sections.flows.map((flow) => ({
    ...flow,
    pages: flow.pages.map((page) => ({
      ...page,
      widgets: page.widgets.map((widget) => (widget.type === 'payment' ? { ...widget, methods: ['card', 'bank'] } : widget)),
    })),
  })),
})

describe('room with a deposit', () => {
  let till: Paying
  let served: Served
  let hotelId: string
  beforeAll(async () => {
    const sections = byCard(withRooms({ guarantee: 'deposit', deposit: { kind: 'firstNight' } }))
    till = await openPaying(sections, { baseUrl: await freeBaseUrl() })
    served = await serve(till.story.world, { extras: { cards: till.story.world.services.cards } })
    hotelId = await hotelAt(till.story.world, till.story.event)
  })
  afterAll(() => till.end())

  it('is paid together with the order, held while the payment is pending, and guaranteed by it', async () => {
    const at = await atRooms(served, till.story.event, { method: 'card' })
    await at.fill('rooms', wants(hotelId, '2026-09-01', '2026-09-04'))
    const summary = await at.open('summary')
    // 900.00 for the pass and 222.63 for the first night with its fee and tax.
    for (const told of ['€222.63', '€1,122.63', 'Pay €1,122.63']) expect(summary.text).toContain(told)
    const gone = await at.finish()
    expect(gone.status).toBe(303)
    const [charge] = await till.rows(`select id, amount from charges order by created_at desc limit 1`)
    expect(charge.amount).toBe(112_263)
    await till.story.world.clock.stopAt('2026-04-10T10:20:00Z')
    const { transact } = till.story.world.database
    await cleanUpRooms.run({ transact } as Parameters<typeof cleanUpRooms.run>[0])
    expect(
      (await nightsAt(till.story.world, hotelId)).map(([, , , , held]) => held),
      'held longer than 15 minutes',
    ).toEqual([1, 1, 1])
    till.stripe.pay(charge.id)
    await till.returns(charge.id)
    expect((await nightsAt(till.story.world, hotelId)).map(([, , , booked, held]) => [booked, held])).toEqual([
      [1, 0],
      [1, 0],
      [1, 0],
    ])
    const [row] = await till.rows(
      `select o.total, o.balance, s.guarantee_status, s.charging from reservations s join orders o on o.participant_id = s.participant_id where s.hotel_id = $1`,
      [hotelId],
    )
    expect(row).toMatchObject({ total: 112_263, balance: 0, guarantee_status: 'secured', charging: false })
    await till.mustAddUp()
    await till.story.world.clock.stopAt('2026-04-10T10:00:00Z')
  })

  it('is released when the payment can no longer succeed', async () => {
    const other = await hotelAt(till.story.world, till.story.event, { code: 'other', name: 'Other' })
    const at = await atRooms(served, till.story.event, { method: 'card' })
    await at.fill('rooms', wants(other, '2026-09-01', '2026-09-03'))
    await at.finish()
    const [charge] = await till.rows(`select id from charges where status = 'pending' order by created_at desc limit 1`)
    await till.story.world.clock.stopAt('2026-04-10T10:32:00Z')
    await till.runDueCalls()
    expect((await till.rows('select status from charges where id = $1', [charge.id]))[0].status).toBe('failed')
    expect((await nightsAt(till.story.world, other)).map(([, , , , held]) => held)).toEqual([0, 0, 0])
    await till.story.world.clock.stopAt('2026-04-10T10:00:00Z')
    await till.mustAddUp()
  })
})

describe('room guaranteed by a card', () => {
  let till: Paying
  let served: Served
  beforeAll(async () => {
    till = await openPaying(withRooms({ guarantee: 'card' }), { baseUrl: await freeBaseUrl() })
    served = await serve(till.story.world, { extras: { cards: till.story.world.services.cards } })
  })
  afterAll(() => till.end())

  it('asks for consent after the registration, then for the card at the processor, and is then guaranteed', async () => {
    const hotelId = await hotelAt(till.story.world, till.story.event)
    const at = await atRooms(served, till.story.event)
    expect((await at.open('rooms')).text).toContain('You need a card to secure the room')
    await at.fill('rooms', wants(hotelId, '2026-09-01', '2026-09-03'))
    expect((await at.finish()).location).toMatch(/\/done$/)
    expect((await at.open('done')).text).toContain('Secure your hotel room')
    const guarantee = async () => (await till.rows(`select guarantee_kind, guarantee_status, saved_card_id from reservations`))[0]
    expect(await guarantee()).toMatchObject({ guarantee_kind: 'card', guarantee_status: 'pending' })
    const who = await personSignedIn(till.story.world, served, till.story.event, at.email)
    const housing = `${homeOf(till.story.event)}/housing`
    expect((await who.get(housing)).text).toContain('Secure your room with a card by Monday')
    expect((await who.post(housing, { do: 'card' })).status, 'not without consent').toBe(400)
    const leads = await who.post(housing, { do: 'card', consent: 'on' })
    expect(leads.status).toBe(303)
    const [setup] = await till.rows('select id, consent from card_setups')
    expect(setup.consent).toContain('The hotel may charge this card')
    till.stripe.leaveCard(setup.id)
    expect((await who.get(`${housing}?setup=${setup.id}`)).location).toContain('done=secured')
    expect(await guarantee()).toMatchObject({ guarantee_status: 'secured', saved_card_id: expect.any(String) })
    expect((await who.get(housing)).text).toContain('Secured')
  })
})
