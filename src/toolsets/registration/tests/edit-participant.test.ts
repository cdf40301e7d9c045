import { describe, expect, it } from 'vitest'
import { useSalesScenario, newAttendee, WORKED_EXAMPLE } from '../../../../test/support/sales-scenario.ts'

const [attendee] = WORKED_EXAMPLE.flows
const guests = { enabled: true, max: 2, types: [{ code: 'adult', name: 'Adult', productCode: 'plus' }], fields: [] }
const buildPages = ({ max = null, minAmount = '5.00' }: { max?: number | null; minAmount?: string } = {}) =>
  attendee!.pages.map((page) => ({
    ...page,
    widgets: page.widgets.flatMap((widget): object[] =>
      widget.id === 'sale'
        ? [
            { id: 'sale', type: 'products', products: ['pass', 'workshop', 'dinner', 'tour'], max },
            { id: 'gift', type: 'donation', product: 'gift', minAmount },
          ]
        : [widget],
    ),
  }))

/** The worked example with guests, a donation and a tour that is refunded by half. */
const EXTENDED_EXAMPLE = {
  ...WORKED_EXAMPLE,
  products: [
    ...WORKED_EXAMPLE.products,
    { code: 'plus', name: 'Plus', category: 'guest', taxCode: 'vat-10', prices: [{ amount: '120.00' }] },
    { code: 'gift', name: 'Gift', category: 'donation', prices: [{ amount: '0.00' }] },
    {
      code: 'tour',
      name: 'Tour',
      category: 'tour',
      perPerson: 5,
      taxCode: 'vat-20',
      prices: [{ amount: '200.00' }],
      refundTiers: [{ until: '2026-08-01T00:00:00Z', percent: 50 }],
    },
  ],
  flows: [{ ...attendee!, guests, pages: buildPages() }],
}
const scenario = useSalesScenario(EXTENDED_EXAMPLE)

const euros = (amount: string) => ({ amount, currency: 'EUR' })
const sold = (key: string) => scenario.queryNumber(`select sold as figure from inventory where key = '${key}'`)
const worked = () => scenario.register({ pass: 1, workshop: 1, dinner: 2 }, { data: { '@discount.code': 'save15' } })
const edit = (participantId: string, more: object) => scenario.call('edit_participant', { participantId, ...more })

describe('edit_participant', () => {
  it('credits a dinner at the price paid (89.00 with 8.09 tax, leaving 1,006.99), and predicts the same in a dry run', async () => {
    const { participant } = await worked()
    const dinners = await sold('product:dinner')
    const change = { data: { '@product.dinner': 1 }, credit: 'full' }
    const would = await edit(participant.id, { ...change, dryRun: true })
    const done = await edit(participant.id, change)
    expect(done.money).toMatchObject({
      creditNote: { total: euros('89.00') },
      balanceBefore: euros('1095.99'),
      balanceAfter: euros('1006.99'),
    })
    expect(would.money).toEqual(done.money)
    expect(done.money.creditNote.number).toMatch(/^CN-2026-\d{6}$/)
    expect(await sold('product:dinner')).toBe(dinners - 1)
    const { rows } = await scenario.world.database.pool.query(
      `select l.net, l.tax from order_lines l join orders o on o.id = l.order_id where o.participant_id = $1 and l.kind = 'credit'`,
      [participant.id],
    )
    expect(rows).toEqual([{ net: -8091, tax: -809 }])
  })

  it('sells additional products at the current price, on a separate invoice', async () => {
    const { participant } = await scenario.register({ pass: 1 })
    const done = await edit(participant.id, { data: { '@product.dinner': 2, '@product.workshop': 1 } })
    expect(done.money).toMatchObject({ invoice: { total: euros('357.99') }, balanceAfter: euros('1257.99') })
    expect(done.changed).toEqual(['products'])
  })

  it('cancels a registration once, freeing capacity and crediting by policy; a second cancellation changes nothing', async () => {
    const { participant } = await scenario.register({ pass: 1, dinner: 1 })
    const before = [await sold('event'), await sold('flow:attendee'), await sold('product:pass'), await sold('product:dinner')]
    const cancelled = await edit(participant.id, { status: 'cancelled', reason: 'ill' })
    expect(cancelled).toMatchObject({
      participant: { status: 'cancelled', cancelReason: 'ill' },
      changed: ['status'],
      money: { creditNote: { total: euros('989.00') }, balanceAfter: euros('0.00'), creditHeld: euros('0.00') },
    })
    expect([await sold('event'), await sold('flow:attendee'), await sold('product:pass'), await sold('product:dinner')]).toEqual(
      before.map((figure) => figure - 1),
    )
    expect(await edit(participant.id, { status: 'cancelled' })).toMatchObject({ changed: [] })
  })

  it('charges a cancellation fee once: repeated and concurrent cancellations charge nothing', async () => {
    const { participant } = await scenario.register({ pass: 1 })
    const fees = () =>
      scenario.queryNumber(`select count(*)::int as figure from order_lines where kind = 'fee' and participant_id = '${participant.id}'`)
    const cancel = { status: 'cancelled', fee: euros('50.00') }
    await Promise.all([1, 2, 3].map(() => edit(participant.id, cancel)))
    expect(await fees()).toBe(1)
    const again = await edit(participant.id, cancel)
    expect(again).toMatchObject({ changed: [], money: { balanceBefore: euros('50.00'), balanceAfter: euros('50.00') } })
    expect(again.money).not.toHaveProperty('invoice')
    expect(await edit(participant.id, { ...cancel, dryRun: true })).toMatchObject({ changed: [] })
    // A reinstated registration can be cancelled again, which is another cancellation with its own fee.
    await edit(participant.id, { status: 'complete' })
    expect(await edit(participant.id, cancel)).toMatchObject({ changed: ['status', 'fee'] })
    expect(await fees()).toBe(2)
  })

  it('charges a fee once for two calls with the same idempotency key', async () => {
    const { participant } = await scenario.register({ pass: 1 })
    const late = { fee: euros('10.00'), idempotencyKey: `late-${participant.id}` }
    const first = await edit(participant.id, late)
    expect(await edit(participant.id, late)).toEqual(first)
    expect((await edit(participant.id, {})).money).toMatchObject({ balanceAfter: euros('910.00') })
    expect(await scenario.refused('edit_participant', { participantId: participant.id, ...late, fee: euros('20.00') })).toMatchObject({
      code: 'conflict',
    })
  })

  it('leaves the amount owed when cancelling without credit, and charges current prices when the registration is reinstated', async () => {
    const { participant } = await scenario.register({ pass: 1, dinner: 2 })
    const cancelled = await edit(participant.id, { status: 'cancelled', credit: 'none' })
    expect(cancelled.money).toMatchObject({ balanceAfter: euros('1078.00') })
    expect(cancelled.money).not.toHaveProperty('creditNote')
    const back = await edit(participant.id, { status: 'complete' })
    expect(back).toMatchObject({
      participant: { status: 'complete', confirmationNumber: participant.confirmationNumber },
      money: { invoice: { total: euros('1078.00') }, balanceAfter: euros('2156.00') },
    })
    expect(back.participant).not.toHaveProperty('cancelledAt')
  })

  it('spreads a credited amount over the order lines, and credits no more than the order total', async () => {
    const { participant } = await scenario.register({ pass: 1, dinner: 1 })
    const refusal = await scenario.refused('edit_participant', {
      participantId: participant.id,
      status: 'cancelled',
      credit: 'amount',
      creditAmount: euros('989.01'),
    })
    expect(refusal).toMatchObject({ code: 'invalid_arguments' })
    const done = await edit(participant.id, { status: 'cancelled', credit: 'amount', creditAmount: euros('100.00') })
    expect(done.money).toMatchObject({ creditNote: { total: euros('100.00') }, balanceAfter: euros('889.00') })
  })

  it('rejects a credit amount above the price of the removed units, and accepts exactly that price', async () => {
    const { participant } = await scenario.register({ pass: 1, dinner: 2 })
    const removing = { participantId: participant.id, data: { '@product.dinner': 1 }, credit: 'amount' }
    for (const amount of ['500.00', '89.01']) {
      expect(await scenario.refused('edit_participant', { ...removing, creditAmount: euros(amount) })).toMatchObject({
        code: 'invalid_arguments',
        fields: [{ path: 'creditAmount', message: 'the highest possible credit is 89.00 EUR' }],
      })
    }
    const done = await scenario.call('edit_participant', { ...removing, creditAmount: euros('89.00') })
    expect(done.money).toMatchObject({ creditNote: { total: euros('89.00') }, balanceAfter: euros('989.00') })
  })

  it('invoices a fee for an edit separately, with tax only if a tax code is given', async () => {
    const { participant } = await scenario.register({ pass: 1 })
    const plain = await edit(participant.id, { fee: euros('50.00'), reason: 'change' })
    expect(plain.money).toMatchObject({ invoice: { total: euros('50.00') }, balanceAfter: euros('950.00') })
    const taxed = await edit(participant.id, { fee: euros('50.00'), feeTaxCode: 'vat-20' })
    expect(taxed.money).toMatchObject({ invoice: { total: euros('60.00') }, balanceAfter: euros('1010.00') })
  })

  it('keeps prices when the tags of a participant change, unless the argument reprice is set', async () => {
    const { participant } = await scenario.register({ pass: 1 })
    const tagged = await edit(participant.id, { addTags: ['member'] })
    expect(tagged).toMatchObject({ participant: { tags: ['member'] }, money: { balanceAfter: euros('900.00') } })
    const repriced = await edit(participant.id, { reprice: true })
    expect(repriced.money).toMatchObject({
      creditNote: { total: euros('900.00') },
      invoice: { total: euros('624.00') },
      balanceAfter: euros('624.00'),
    })
    expect(await edit(participant.id, { reprice: true })).toMatchObject({ changed: [] })
  })

  it('deducts a fixed-amount discount once when a later purchase or a guest is repriced', async () => {
    const { participant } = await scenario.register({ pass: 1 }, { data: { '@discount.code': 'less100' } })
    expect(participant.status).toBe('complete')
    await scenario.world.clock.stopAt('2026-04-10T11:00:00Z')
    await edit(participant.id, { data: { '@product.workshop': 1 } })
    const repriced = await edit(participant.id, { reprice: true })
    expect(repriced).toMatchObject({ changed: [], money: { balanceAfter: euros('959.99') } })
    // The first purchase is gone, so the discount lowers the next one, and still only once.
    await edit(participant.id, { data: { '@product.pass': 0 }, credit: 'full' })
    await scenario.world.clock.stopAt('2026-04-10T12:00:00Z')
    await edit(participant.id, { data: { '@product.dinner': 1 } })
    const moved = await edit(participant.id, { reprice: true })
    expect(moved.money).toMatchObject({ creditNote: { total: euros('179.99') }, invoice: { total: euros('59.99') } })
    expect(await edit(participant.id, { reprice: true })).toMatchObject({ changed: [], money: { balanceAfter: euros('148.99') } })
    const guest = { '@guest.1.firstName': 'Gus', '@guest.1.lastName': 'Guest', '@discount.code': 'less100' }
    const host = await scenario.register({ pass: 1 }, { data: guest })
    const [{ id: guestId }] = (await scenario.call('get_participant', { participantId: host.participant.id })).guests
    for (const id of [host.participant.id, guestId]) expect(await edit(id, { reprice: true })).toMatchObject({ changed: [] })
  })

  it('reprices nothing after a part credit by policy, if no price has changed', async () => {
    const { participant } = await scenario.register({ tour: 3 })
    const removed = await edit(participant.id, { data: { '@product.tour': 2 } })
    expect(removed.money).toMatchObject({ creditNote: { total: euros('120.00') }, balanceAfter: euros('600.00') })
    const repriced = await edit(participant.id, { reprice: true })
    expect(repriced).toMatchObject({ changed: [], money: { balanceAfter: euros('600.00') } })
    expect(repriced.money).not.toHaveProperty('creditNote')
  })

  it('rejects a name and email that another registration already has, and returns the ID of that registration', async () => {
    const data = newAttendee()
    const one = await scenario.call('add_participant', { flowSlug: 'attendee', data })
    const { participant } = await scenario.register({})
    const refusal = await scenario.refused('edit_participant', { participantId: participant.id, data })
    expect(refusal).toMatchObject({ code: 'conflict' })
    expect(refusal.message).toContain(one.participant.id)
  })

  it('rejects more units of a product than allowed per person', async () => {
    const { participant } = await scenario.register({ dinner: 4 })
    expect(await scenario.refused('edit_participant', { participantId: participant.id, data: { '@product.dinner': 5 } })).toMatchObject({
      code: 'limit_exceeded',
    })
  })

  it('keeps units above a limit that was lowered later, and applies the limit to units that are added', async () => {
    const { participant } = await scenario.register({ tour: 5, gift: 50 })
    const { participant: diner } = await scenario.register({ pass: 1, dinner: 1 })
    const limited = (perPerson: number, max: number | null, excludes: string[], minAmount: string) =>
      scenario.publish({
        products: [
          { code: 'tour', perPerson },
          { code: 'pass', excludes },
        ],
        flows: [{ slug: 'attendee', pages: buildPages({ max, minAmount }) }],
      })
    await limited(2, 3, ['dinner'], '60.00')
    const refused = (id: string, data: object) => scenario.refused('edit_participant', { participantId: id, data })
    for (const { id } of [participant, diner])
      expect(await edit(id, { data: { '@participant.company': 'Acme' } })).toMatchObject({ changed: ['@participant.company'] })
    expect(await edit(participant.id, { data: { '@product.tour': 4 } })).toMatchObject({ changed: ['products'] })
    expect(await refused(participant.id, { '@product.tour': 5 })).toMatchObject({ code: 'limit_exceeded' })
    // The widget allows 3 products, of which the participant has 4.
    expect(await refused(participant.id, { '@product.workshop': 1 })).toMatchObject({ fields: [{ message: 'choose at most 3 here' }] })
    expect(await refused(diner.id, { '@product.dinner': 2 })).toMatchObject({ message: 'Pass cannot be combined with Dinner' })
    expect(await edit(diner.id, { data: { '@product.workshop': 1 } })).toMatchObject({ changed: ['products'] })
    const refusedNew = (products: object) =>
      scenario.refused('add_participant', { flowSlug: 'attendee', data: { ...newAttendee(), ...products } })
    expect(await refusedNew({ '@product.tour': 3 })).toMatchObject({ code: 'limit_exceeded' })
    expect(await refusedNew({ '@product.pass': 1, '@product.dinner': 1 })).toMatchObject({ message: 'Pass cannot be combined with Dinner' })
    await limited(5, null, [], '5.00')
  })

  it('clears an optional answer with null, but not a required one', async () => {
    const { participant } = await scenario.register({}, { data: { '@participant.company': 'Acme' } })
    const cleared = await edit(participant.id, { data: { '@participant.company': null } })
    expect(cleared).toMatchObject({ changed: ['@participant.company'] })
    expect(cleared.participant).not.toHaveProperty('company')
    expect(
      await scenario.refused('edit_participant', { participantId: participant.id, data: { '@participant.email': null } }),
    ).toMatchObject({
      code: 'invalid_arguments',
      fields: [{ path: '@participant.email' }],
    })
  })

  it('sells later purchases without a discount code that has expired, or whose tag the participant has lost', async () => {
    const early = { code: 'early', name: 'Early', kind: 'percent', value: '10', until: '2026-04-15' }
    const members = { code: 'members', name: 'Members', kind: 'percent', value: '10', tags: ['member'] }
    await scenario.publish({ discounts: [early, members] })
    const registered = async (code: string, more = {}) =>
      (await scenario.register({ pass: 1 }, { data: { '@discount.code': code }, ...more })).participant.id as string
    const [person, member] = [await registered('early'), await registered('members', { tags: ['member'] })]
    const dine = async (participantId: string, quantity: number) =>
      (await edit(participantId, { data: { '@product.dinner': quantity } })).money.invoice.total.amount
    expect([await dine(person, 1), await dine(member, 1)]).toEqual(['80.10', '80.10'])
    await edit(member, { removeTags: ['member'] })
    await scenario.world.clock.stopAt('2026-04-20T11:00:00Z')
    await scenario.world.renewTokens()
    expect([await dine(person, 2), await dine(member, 2)]).toEqual(['89.00', '89.00'])
    // A code that is entered now is still refused.
    const entered = await scenario.refused('edit_participant', { participantId: member, discountCode: 'early' })
    expect(entered.message).toContain('no longer valid')
  })
})
