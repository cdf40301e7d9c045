import { describe, expect, it } from 'vitest'
import { ACME_PRICING, useGroupScenario } from '../../../../test/support/group-scenario.ts'
import { newAttendee } from '../../../../test/support/sales-scenario.ts'

const guests = { enabled: true, max: 2, types: [{ code: 'adult', name: 'Adult', productCode: 'plus' }], fields: [] }

/** The products of the worked example, with a guest product of 120.00 that costs 20.00 for guests of VIPs and members of Acme. */
const scenario = useGroupScenario({
  ...ACME_PRICING,
  products: [
    ...ACME_PRICING.products,
    {
      code: 'plus',
      name: 'Plus',
      category: 'guest',
      taxCode: 'vat-10',
      prices: [{ amount: '120.00' }, { amount: '20.00', tags: ['acme'] }, { amount: '30.00', tags: ['vip'] }],
    },
  ],
  flows: ACME_PRICING.flows.map((flow) => ({ ...flow, guests })),
} as never)

const euros = (amount: string) => ({ amount, currency: 'EUR' })

const edit = (participantId: string, change: object) => scenario.call('edit_participant', { participantId, ...change })

let people = 0

/** The arguments that add a guest with a unique name to this host. */
const guestOf = (hostId: string, more: Record<string, unknown> = {}) => ({
  flowSlug: 'attendee',
  hostId,
  data: { '@participant.firstName': 'Gus', '@participant.lastName': `Guest ${++people}` },
  ...more,
})

const addGuest = (hostId: string, more: Record<string, unknown> = {}) => scenario.call('add_participant', guestOf(hostId, more))

/** The answers of a host who registers together with a guest. */
const withGuest = () => ({ '@guest.1.firstName': 'Gus', '@guest.1.lastName': `Guest ${++people}`, '@guest.1.type': 'adult' })

describe('add_participant with hostId', () => {
  it('sells a guest at the price that the host would have paid within the registration', async () => {
    const { code } = await scenario.group({ name: 'Payers', payBy: 'members' })
    const invoiced = await scenario.register({ pass: 1 }, { groupCode: code, data: withGuest() })
    expect(invoiced.order.total).toEqual(euros('500.00'))
    expect((await addGuest(invoiced.participant.id)).invoice.total).toEqual(euros('20.00'))
    const { participant: vip } = await scenario.register({ pass: 1 }, { tags: ['vip'] })
    expect((await addGuest(vip.id)).invoice.total).toEqual(euros('30.00'))
    const { participant: other } = await scenario.register({ pass: 1 })
    expect((await addGuest(other.id)).invoice.total).toEqual(euros('120.00'))
  })

  it('bills a guest to the group that pays for the host, which also pays for later purchases of both', async () => {
    const { code } = await scenario.group({ name: 'Paying', tags: [] })
    const { created, order } = await scenario.update(code, { add: [{ data: newAttendee({ '@product.pass': 1 }) }] })
    const [host] = (await scenario.getGroup(code)).members
    expect([created, order.total]).toEqual([1, euros('900.00')])
    const guest = await addGuest(host.participantId)
    expect(guest).toMatchObject({ order: { number: order.number, total: euros('1020.00') }, invoice: { total: euros('120.00') } })
    expect((await edit(host.participantId, { data: { '@product.workshop': 1 } })).money.balanceAfter).toEqual(euros('1199.99'))
    expect((await edit(guest.participant.id, { data: { '@product.dinner': 1 } })).money.balanceAfter).toEqual(euros('1288.99'))
    expect(
      await scenario.queryNumber(`select count(*)::int as figure from orders where participant_id is not null and id in (
      select order_id from order_lines where participant_id in ('${host.participantId}', '${guest.participant.id}'))`),
    ).toBe(0)
    expect((await edit(guest.participant.id, { status: 'cancelled' })).money).toMatchObject({ creditNote: { total: euros('209.00') } })
  })

  it('keeps billing the group if an earlier version has billed a guest to an order of the host', async () => {
    const { code } = await scenario.group({ name: 'Earlier', tags: [] })
    await scenario.update(code, { add: [{ data: newAttendee({ '@product.pass': 1 }) }] })
    const [{ participantId }] = (await scenario.getGroup(code)).members
    const { participant: other, order } = await scenario.register({ pass: 1 })
    const { participant: guest } = await addGuest(other.id)
    const query = (text: string, ...values: string[]) => scenario.world.database.pool.query(text, values)
    await query('update participants set host_id = $1 where id = $2', participantId, guest.id)
    await query(`update orders set participant_id = $1 where number = $2`, participantId, order.number)
    expect((await edit(participantId, { data: { '@product.workshop': 1 } })).money.balanceAfter).toEqual(euros('1079.99'))
  })

  it('keeps the host and the guest type of an incomplete guest, who counts toward the limit, and sells the guest when completed', async () => {
    const { participant: host } = await scenario.register({ pass: 1 })
    const begun = await addGuest(host.id, { status: 'incomplete' })
    expect(begun.participant).toMatchObject({ status: 'incomplete', hostId: host.id, guestType: 'adult' })
    await addGuest(host.id, { status: 'incomplete' })
    for (const status of ['complete', 'incomplete'])
      expect(await scenario.refused('add_participant', guestOf(host.id, { status }))).toMatchObject({ code: 'limit_exceeded' })
    const done = await edit(begun.participant.id, { status: 'complete' })
    expect(done.participant).toMatchObject({ status: 'complete', hostId: host.id, guestType: 'adult' })
    expect(done.money).toMatchObject({ invoice: { total: euros('120.00') }, balanceAfter: euros('1020.00') })
    expect((await edit(begun.participant.id, { data: { '@participant.company': 'Acme' } })).changed).toEqual(['@participant.company'])
    expect((await scenario.call('get_participant', { participantId: host.id })).guests).toMatchObject([
      { id: begun.participant.id, status: 'complete', guestType: 'adult' },
      { status: 'incomplete', guestType: 'adult' },
    ])
  })

  it('sells a cancelled guest again when reinstated, but no more guests than the limit', async () => {
    const { participant: host } = await scenario.register({ pass: 1 })
    const { participant: guest } = await addGuest(host.id)
    await edit(guest.id, { data: { '@product.dinner': 1 } })
    await edit(guest.id, { status: 'cancelled' })
    const again = await edit(guest.id, { status: 'complete' })
    expect(again.participant).toMatchObject({ hostId: host.id, guestType: 'adult', confirmationNumber: guest.confirmationNumber })
    expect(again).toMatchObject({ notRestored: ['dinner'], money: { invoice: { total: euros('120.00') }, balanceAfter: euros('1020.00') } })
    await edit(guest.id, { status: 'cancelled' })
    await addGuest(host.id)
    await addGuest(host.id, { status: 'incomplete' })
    const reinstate = { participantId: guest.id, status: 'complete' }
    expect(await scenario.refused('edit_participant', reinstate)).toMatchObject({ code: 'limit_exceeded' })
    await edit(host.id, { status: 'cancelled' })
    expect(await scenario.refused('edit_participant', reinstate)).toMatchObject({ code: 'precondition_failed' })
  })

  it('does not advise a waiting list for a guest whose product is sold out', async () => {
    const { participant: host } = await scenario.register({ pass: 1 })
    const limit = (capacity: number | null) => scenario.publish({ products: [{ code: 'plus', capacity }] })
    const sold = await scenario.queryNumber(`select sold as figure from inventory where key = 'product:plus'`)
    await limit(sold)
    expect(await scenario.refused('add_participant', guestOf(host.id, { joinWaitlist: true }))).toMatchObject({
      code: 'precondition_failed',
      message: `Plus is full (${sold} of ${sold}) — guests cannot join a waiting list, pass overrideCapacity`,
    })
    expect((await addGuest(host.id, { overrideCapacity: true })).invoice.total).toEqual(euros('120.00'))
    await limit(null)
  })

  it('rejects products in the answers of a new guest, instead of selling them with the next edit', async () => {
    const { participant: host } = await scenario.register({ pass: 1 })
    const { data } = guestOf(host.id)
    for (const status of ['complete', 'incomplete'])
      expect(
        await scenario.refused('add_participant', guestOf(host.id, { data: { ...data, '@product.dinner': 1 }, status })),
      ).toMatchObject({ code: 'invalid_arguments', fields: [{ path: '@product.dinner' }] })
  })

  it('refuses guests of a test participant among real participants, and guests of a real one in test mode', async () => {
    const { participant: real } = await scenario.register({ pass: 1 })
    await scenario.call('update_event', { testMode: true })
    const { participant: test } = await scenario.register({ pass: 1 })
    expect((await addGuest(test.id)).participant).toMatchObject({ hostId: test.id, isTestData: true })
    expect(await scenario.refused('add_participant', guestOf(real.id))).toMatchObject({
      code: 'precondition_failed',
      message: 'The event is in test mode, so guests of real participants cannot be registered',
    })
    await scenario.call('update_event', { testMode: false })
    for (const status of ['complete', 'incomplete'])
      expect(await scenario.refused('add_participant', guestOf(test.id, { status }))).toMatchObject({
        code: 'precondition_failed',
        message: 'Guests of a test participant can only be registered in test mode',
      })
  })
})

describe('seats of guests', () => {
  const readSeats = async () => {
    const { rows } = await scenario.world.database.pool.query<{ key: string; sold: number }>(
      `select key, sold from inventory where key in ('event', 'flow:attendee', 'flow:other')`,
    )
    return Object.fromEntries(rows.map(({ key, sold }) => [key, sold]))
  }

  const expectIntegrity = async () => {
    const { integrity } = await scenario.call('audit_event', { check: true })
    expect(integrity.filter(({ ok }: { ok: boolean }) => !ok)).toEqual([])
  }

  const setCounting = async (countsTowardCapacity: boolean) => {
    const { types, max } = guests
    await scenario.call('configure_registration_guests', { flowSlug: 'attendee', max, types, countsTowardCapacity })
    await scenario.call('publish_event', { acceptWarnings: true })
  }

  it('returns the seat that a guest took, and no other, after the setting countsTowardCapacity has changed', async () => {
    const { participant: host } = await scenario.register({ pass: 1 })
    const alone = await readSeats()
    const { participant: counted } = await addGuest(host.id)
    await setCounting(false)
    const { participant: free } = await addGuest(host.id)
    expect(await readSeats()).toEqual({ event: alone.event! + 1, 'flow:attendee': alone['flow:attendee']! + 1 })
    await edit(counted.id, { status: 'cancelled' })
    expect(await readSeats()).toEqual(alone)
    await setCounting(true)
    await edit(free.id, { status: 'cancelled' })
    expect(await readSeats()).toEqual(alone)
    await expectIntegrity()
    // A guest who is reinstated takes a seat by the current setting.
    await edit(free.id, { status: 'complete' })
    expect((await readSeats()).event).toBe(alone.event! + 1)
    await expectIntegrity()
  })

  it('gives a substitute the seat of the guest whom they replace, or none', async () => {
    const { participant: host } = await scenario.register({ pass: 1 })
    const alone = await readSeats()
    const { participant: counted } = await addGuest(host.id)
    await setCounting(false)
    const { participant: free } = await addGuest(host.id)
    const substitutes: string[] = []
    for (const { id } of [counted, free]) {
      const data = { ...newAttendee(), '@participant.email': `substitute-${id}@example.org` }
      substitutes.push((await scenario.call('substitute_participant', { participantId: id, replacement: data })).to.id)
    }
    await edit(substitutes[0]!, { status: 'cancelled' })
    expect(await readSeats()).toEqual(alone)
    await setCounting(true)
    await edit(substitutes[1]!, { status: 'cancelled' })
    expect(await readSeats()).toEqual(alone)
    await expectIntegrity()
  })

  it('moves the seat of the flow only with a guest who has one', async () => {
    await scenario.publish({ flows: [{ slug: 'other', name: 'Other', guests, pages: ACME_PRICING.flows[0]!.pages }] })
    const { participant: host } = await scenario.register({ pass: 1 })
    const { participant: counted } = await addGuest(host.id)
    await setCounting(false)
    const { participant: free } = await addGuest(host.id)
    const before = await readSeats()
    await edit(free.id, { flowSlug: 'other' })
    expect(await readSeats()).toEqual(before)
    await edit(counted.id, { flowSlug: 'other' })
    expect(await readSeats()).toEqual({ ...before, 'flow:attendee': before['flow:attendee']! - 1, 'flow:other': 1 })
    await expectIntegrity()
    await setCounting(true)
  })

  it('follows the current setting for guests of earlier versions, whose seats were not stored', async () => {
    const { participant: host } = await scenario.register({ pass: 1 })
    const alone = await readSeats()
    const { participant: guest } = await addGuest(host.id)
    await scenario.world.database.pool.query('update participants set counts_toward_capacity = null where id = $1', [guest.id])
    await expectIntegrity()
    await edit(guest.id, { flowSlug: 'other' })
    await setCounting(false)
    expect(await readSeats()).toEqual({ ...alone, event: alone.event! + 1, 'flow:other': alone['flow:other']! + 1 })
    await edit(guest.id, { status: 'cancelled' })
    expect(await readSeats()).toEqual(alone)
    await expectIntegrity()
    await setCounting(true)
  })
})
