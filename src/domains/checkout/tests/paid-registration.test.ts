import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openPaymentScenario, type PaymentScenario } from '../../../../test/support/payment-scenario.ts'
import { newAttendee, WORKED_EXAMPLE } from '../../../../test/support/sales-scenario.ts'
import { INVENTORY_HOLD_MINUTES, holdUnits, releaseHolds } from '../../inventory/units.ts'
import { endCheckoutsOfParticipant, endCheckout } from '../../payments/checkout.ts'
import { cancelRegistration } from '../../registration/edit/cancel.ts'
import { getParticipant } from '../../registration/participant-rows.ts'
import { expireCapacityHolds } from '../../registration/promotion/expire-holds.ts'
import { loadEventSnapshot } from '../../registration/event-snapshot.ts'
import { createRecurringTaskContext } from '../../../surfaces/worker/run-recurring.ts'

const AT = Date.parse('2026-04-10T10:00:00Z')
const after = (minutes: number) => new Date(AT + minutes * 60_000).toISOString()

/** Configuration with a single workshop seat. */
const ONE_WORKSHOP = {
  ...WORKED_EXAMPLE,
  products: [
    WORKED_EXAMPLE.products[0]!,
    { ...WORKED_EXAMPLE.products[1]!, capacity: 1 },
    WORKED_EXAMPLE.products[2]!,
    { ...WORKED_EXAMPLE.products[2]!, code: 'dinner-vegan', name: 'Vegan dinner' },
  ],
  flows: WORKED_EXAMPLE.flows.map((flow) => ({
    ...flow,
    pages: flow.pages.map((page) => ({
      ...page,
      widgets: page.widgets.map((widget) =>
        widget.type === 'products' ? { ...widget, products: ['pass', 'workshop', 'dinner', 'dinner-vegan'] } : widget,
      ),
    })),
  })),
}

describe('registrations completed by card payment', () => {
  let checkout: PaymentScenario
  const chargeOf = async (id: string) => (await checkout.rows('select * from charges where id = $1', [id]))[0]
  const workshop = async () => (await checkout.rows(`select held, sold from inventory where key = 'product:workshop'`))[0]
  const freeWorkshop = async () => {
    const [one] = await checkout.rows(
      `select l.participant_id as id from order_lines l where l.product_code = 'workshop' group by 1 having sum(l.quantity) > 0`,
    )
    if (one) await checkout.sales.call('edit_participant', { participantId: one.id, status: 'cancelled' })
  }

  beforeAll(async () => void (checkout = await openPaymentScenario(ONE_WORKSHOP)))
  beforeEach(async () => {
    checkout.stripe.settings.next = 'succeeded'
    await checkout.sales.world.clock.stopAt(after(0))
    await checkout.sales.world.renewTokens()
    await freeWorkshop()
  })
  afterAll(() => checkout.end())

  it('sells nothing until Stripe reports the payment, then completes the registration with order, invoice, payment and one email', async () => {
    const participantId = await checkout.startRegistration({ pass: 1, dinner: 2 })
    const begun = await checkout.beginPayment(participantId)
    expect(checkout.stripe.pages.size, 'Stripe is not called before the row is stored').toBe(0)
    const open = await checkout.opens(begun)
    expect(open).toMatchObject({ status: 'pending', amount: { amount: '1078.00', currency: 'EUR' }, url: 'https://checkout.example/cs_1' })
    const { form } = checkout.stripe.pageOf(begun.chargeId)
    expect(form).toMatchObject({
      mode: 'payment',
      client_reference_id: begun.chargeId,
      'metadata[charge]': begun.chargeId,
      'metadata[event]': checkout.sales.event.eventId,
      expires_at: String((AT + 31 * 60_000) / 1000),
      success_url: `http://localhost:3000/return?charge=${begun.chargeId}`,
      'line_items[0][price_data][product_data][name]': 'Pass',
      'line_items[0][price_data][unit_amount]': '90000',
      'line_items[1][price_data][product_data][name]': 'Dinner × 2',
      'line_items[1][price_data][unit_amount]': '17800',
    })
    expect(Object.keys(form).some((name) => name.includes('setup_future_usage'))).toBe(false)
    expect(await checkout.returnFromPayment(begun.chargeId)).toMatchObject({ status: 'pending' })
    expect([await checkout.statusOf(participantId), await checkout.count('orders'), await checkout.mails(participantId)]).toEqual([
      'incomplete',
      0,
      [],
    ])

    checkout.stripe.pay(begun.chargeId)
    expect(await checkout.returnFromPayment(begun.chargeId)).toMatchObject({ status: 'succeeded', url: null })
    expect([await checkout.statusOf(participantId), await checkout.mails(participantId)]).toEqual(['complete', ['registration.completed']])
    const { order } = await checkout.sales.call('get_participant', { participantId, include: ['orders'] })
    expect(order).toMatchObject({ total: { amount: '1078.00' }, balance: { amount: '0.00' } })
    expect(
      await checkout.rows(
        `select amount, method, provider_ref from payments where order_id = (select id from orders where participant_id = $1)`,
        [participantId],
      ),
    ).toEqual([{ amount: 107_800, method: 'card', provider_ref: 'pi_1' }])
    expect(await checkout.count('saved_cards')).toBe(0)
    await checkout.mustAddUp()
  })

  it('reuses the open checkout if the participant presses Pay again, and ends it first if the amount has changed', async () => {
    const participantId = await checkout.startRegistration({ pass: 1 })
    const [first, second] = await Promise.all([
      checkout.beginPayment(participantId),
      checkout.beginPayment(participantId),
      checkout.beginPayment(participantId),
    ])
    expect(second).toEqual(first)
    await Promise.all([checkout.opens(first), checkout.opens(second), checkout.opens(first)])
    const pages = checkout.stripe.pages.size
    await checkout.opens(await checkout.beginPayment(participantId))
    expect(checkout.stripe.pages.size).toBe(pages)
    expect(await checkout.count(`charges where participant_id = '${participantId}'`)).toBe(1)
    await checkout.sales.call('edit_participant', { participantId, data: { '@product.dinner': 1 } })
    const blocked = { blockedBy: { chargeId: first.chargeId } }
    expect(await checkout.tryPayment(participantId)).toEqual(blocked)
    await checkout.at((ctx) => endCheckout(ctx, first.chargeId))
    expect(await checkout.tryPayment(participantId)).toEqual(blocked)
    expect(await checkout.returnFromPayment(first.chargeId)).toMatchObject({ status: 'failed', failureCode: 'cancelled' })
    const again = await checkout.beginPayment(participantId)
    expect(again.chargeId).not.toBe(first.chargeId)
    expect(await checkout.opens(again)).toMatchObject({ amount: { amount: '989.00' } })
    checkout.stripe.pay(again.chargeId)
    await checkout.returnFromPayment(again.chargeId)
    expect(await checkout.statusOf(participantId)).toBe('complete')
    await checkout.mustAddUp()
  })

  it('opens a new payment page if the selected products change at the same price, and sells the products of the page that was paid', async () => {
    const participantId = await checkout.startRegistration({ pass: 1, 'dinner-vegan': 1 })
    const first = await checkout.beginPayment(participantId)
    await checkout.opens(first)
    const before = await checkout.rows('select input from outside_calls where id = $1', [first.callId])
    await checkout.sales.call('edit_participant', { participantId, data: { '@product.dinner-vegan': 0, '@product.dinner': 1 } })
    expect(await checkout.tryPayment(participantId)).toEqual({ blockedBy: { chargeId: first.chargeId } })
    expect(await checkout.rows('select input from outside_calls where id = $1', [first.callId])).toEqual(before)
    checkout.stripe.pay(first.chargeId)
    await checkout.at((ctx) => endCheckout(ctx, first.chargeId))
    expect(await checkout.returnFromPayment(first.chargeId)).toMatchObject({ status: 'succeeded' })
    const { order } = await checkout.sales.call('get_participant', { participantId, include: ['orders'] })
    expect(order.lines.map(({ productCode }: any) => productCode)).toEqual(['pass', 'dinner-vegan'])
    await checkout.mustAddUp()
  })

  it('rejects a second open charge of the same participant by a database constraint', async () => {
    const { participantId } = await checkout.openPaymentPage({ pass: 1 })
    const copied = `insert into charges (tenant_id, event_id, id, participant_id, is_test_data, purpose, amount, currency, provider, status)
      select tenant_id, event_id, substr(md5(random()::text), 1, 24), participant_id, false, purpose, amount, currency, provider, 'unknown' from charges where participant_id = $1`
    await expect(checkout.rows(copied, [participantId])).rejects.toThrow('charges_open_of_person')
  })

  it('holds capacity while a payment is uncertain, and releases it once Stripe confirms that it can no longer be paid', async () => {
    const { participantId, chargeId } = await checkout.openPaymentPage({ pass: 1, workshop: 1 })
    const sweep = () =>
      expireCapacityHolds.run(createRecurringTaskContext(checkout.sales.world.services, expireCapacityHolds.name, new Date()))
    await checkout.sales.world.clock.stopAt(after(INVENTORY_HOLD_MINUTES + 1))
    await checkout.sales.world.renewTokens()
    checkout.stripe.settings.next = 'broken'
    await checkout.runDueCalls()
    await sweep()
    expect(await chargeOf(chargeId)).toMatchObject({ status: 'unknown' })
    expect(await workshop()).toEqual({ held: 1, sold: 0 })
    expect(
      await checkout.sales.refused('add_participant', {
        flowSlug: 'attendee',
        data: {
          '@participant.firstName': 'A',
          '@participant.lastName': 'B',
          '@participant.email': 'ab@example.org',
          '@product.workshop': 1,
        },
      }),
    ).toMatchObject({ code: 'precondition_failed' })
    checkout.stripe.settings.next = 'succeeded'
    await checkout.sales.world.clock.stopAt(after(INVENTORY_HOLD_MINUTES + 3))
    await checkout.runDueCalls()
    expect(checkout.stripe.pageOf(chargeId).status).toBe('expired')
    expect(await chargeOf(chargeId)).toMatchObject({ status: 'failed', failure_code: 'expired' })
    expect(await workshop()).toEqual({ held: 0, sold: 0 })
    expect(await checkout.statusOf(participantId)).toBe('incomplete')
    // An email reports the outcome, because the participant was asked to wait for it.
    expect(await checkout.mails(participantId)).toEqual(['payment.failed'])
    await checkout.mustAddUp()
  })

  it('keeps renewed capacity holds while a charge is open, because holds marked as charging do not expire', async () => {
    const { participantId } = await checkout.openPaymentPage({ pass: 1, workshop: 1 })
    const holdAgain = () => checkout.at((ctx) => holdUnits(ctx, { participantId }, [{ key: 'product:workshop', quantity: 1 }]))
    const sweep = () =>
      expireCapacityHolds.run(createRecurringTaskContext(checkout.sales.world.services, expireCapacityHolds.name, new Date()))
    await holdAgain()
    await checkout.sales.world.clock.stopAt(after(INVENTORY_HOLD_MINUTES + 1))
    await sweep()
    expect(await workshop()).toEqual({ held: 1, sold: 0 })
    await checkout.rows('alter table holds disable trigger holds_charging')
    await holdAgain()
    await checkout.rows('alter table holds enable trigger holds_charging')
    await checkout.sales.world.clock.stopAt(after(2 * INVENTORY_HOLD_MINUTES + 2))
    await sweep()
    expect(await workshop()).toEqual({ held: 0, sold: 0 })
  })

  it('completes the registration if the payment arrived just before the capacity hold expired', async () => {
    const { participantId, chargeId } = await checkout.openPaymentPage({ pass: 1, workshop: 1 })
    checkout.stripe.pay(chargeId)
    await checkout.sales.world.clock.stopAt(after(INVENTORY_HOLD_MINUTES + 1))
    await checkout.runDueCalls()
    expect([await checkout.statusOf(participantId), await workshop()]).toEqual(['complete', { held: 0, sold: 1 }])
    await checkout.mustAddUp()
  })

  it('keeps the held capacity for another payment attempt if the participant leaves the payment page early', async () => {
    const { participantId, chargeId } = await checkout.openPaymentPage({ pass: 1, workshop: 1 })
    await checkout.at((ctx) => endCheckoutsOfParticipant(ctx, participantId))
    await checkout.returnFromPayment(chargeId)
    expect(await workshop()).toEqual({ held: 1, sold: 0 })
    expect(
      await checkout.rows(
        `select charging, expires_at from holds where participant_id = $1 and status = 'active' and key = 'product:workshop'`,
        [participantId],
      ),
    ).toEqual([{ charging: false, expires_at: new Date(after(INVENTORY_HOLD_MINUTES)) }])
    expect(await checkout.mails(participantId)).toEqual([])
    await checkout.at((ctx) => releaseHolds(ctx, { participantId }))
  })

  it('refunds the payment immediately and emails the participant if the product was sold out in the meantime', async () => {
    const { participantId, chargeId } = await checkout.openPaymentPage({ pass: 1, workshop: 1 })
    await checkout.at((ctx) => releaseHolds(ctx, { participantId }))
    const other = await checkout.sales.register({ workshop: 1 })
    checkout.stripe.pay(chargeId)
    expect(await checkout.returnFromPayment(chargeId)).toMatchObject({ status: 'succeeded' })
    await checkout.runDueCalls()
    expect([await checkout.statusOf(participantId), await workshop()]).toEqual(['incomplete', { held: 0, sold: 1 }])
    expect(checkout.stripe.refunds.at(-1)).toMatchObject({ amount: 107_999 })
    expect(await checkout.mails(participantId)).toEqual(['payment.refunded'])
    expect(await checkout.rows('select total, balance, unapplied from orders where participant_id = $1', [participantId])).toEqual([
      { total: 0, balance: 0, unapplied: 0 },
    ])
    expect(other.participant.status).toBe('complete')
    await checkout.mustAddUp()
  })

  it('refunds the payment if the owner of the mailbox has verified another registration of the same person meanwhile', async () => {
    const person = { '@participant.firstName': 'Same', '@participant.lastName': 'Person', '@participant.email': 'same@example.org' }
    const { participant } = await checkout.sales.register({ pass: 1 }, { status: 'incomplete', data: person })
    await checkout.rows(`update participants set email_unverified = true where id = $1`, [participant.id])
    const begun = await checkout.beginPayment(participant.id)
    await checkout.opens(begun)
    const { status } = await checkout.sales.register({ pass: 1 }, { data: person })
    expect(status).toBe('new')
    checkout.stripe.pay(begun.chargeId)
    await checkout.returnFromPayment(begun.chargeId)
    await checkout.runDueCalls()
    expect(checkout.stripe.refunds.at(-1)).toMatchObject({ amount: 90_000 })
    expect(await checkout.statusOf(participant.id)).toBe('incomplete')
    await checkout.mustAddUp()
  })

  it('refunds the payment if the participant has cancelled the registration, and ends an unpaid checkout', async () => {
    const cancel = (id: string) =>
      checkout.at(async (ctx) =>
        cancelRegistration(ctx, await loadEventSnapshot(ctx), await getParticipant(ctx, id), { rule: { by: 'full' } }),
      )
    const paid = await checkout.openPaymentPage({ pass: 1 })
    checkout.stripe.pay(paid.chargeId)
    await cancel(paid.participantId)
    await checkout.runDueCalls()
    await checkout.runDueCalls()
    expect(await chargeOf(paid.chargeId)).toMatchObject({ status: 'succeeded' })
    expect([await checkout.statusOf(paid.participantId), await checkout.mails(paid.participantId)]).toEqual([
      'cancelled',
      ['payment.refunded'],
    ])
    expect(checkout.stripe.refunds.at(-1)).toMatchObject({ amount: 90_000 })
    const unpaid = await checkout.openPaymentPage({ pass: 1 })
    await cancel(unpaid.participantId)
    await checkout.runDueCalls()
    expect(checkout.stripe.pageOf(unpaid.chargeId).status).toBe('expired')
    expect(await chargeOf(unpaid.chargeId)).toMatchObject({ status: 'failed', failure_code: 'cancelled' })
    await checkout.mustAddUp()
  })

  it('applies the payment to open invoices and refunds the rest if an organizer has completed the registration meanwhile', async () => {
    const { participantId, chargeId } = await checkout.openPaymentPage({ pass: 1 })
    await checkout.sales.call('edit_participant', { participantId, status: 'complete' })
    const [{ number }] = await checkout.rows(
      'select i.number from invoices i join orders o on o.id = i.order_id where o.participant_id = $1',
      [participantId],
    )
    await checkout.sales.call('record_manual_payment', {
      kind: 'payment',
      invoiceNumbers: [number],
      amount: { amount: '400.00', currency: 'EUR' },
      method: 'bank',
      reference: 'T1',
    })
    checkout.stripe.pay(chargeId)
    await checkout.returnFromPayment(chargeId)
    await checkout.runDueCalls()
    expect(checkout.stripe.refunds.at(-1)).toMatchObject({ amount: 40_000 })
    expect(await checkout.rows('select balance, unapplied from orders where participant_id = $1', [participantId])).toEqual([
      { balance: 0, unapplied: 0 },
    ])
    await checkout.mustAddUp()
  })

  it('charges the confirmed price even if another version of the configuration was published since', async () => {
    const { participantId, chargeId } = await checkout.openPaymentPage({ pass: 1 })
    const dear = [{ ...WORKED_EXAMPLE.products[0]!, prices: [{ amount: '990.00' }] }]
    await checkout.sales.publish({ products: dear })
    checkout.stripe.pay(chargeId)
    await checkout.returnFromPayment(chargeId)
    expect(await checkout.rows('select total, balance from orders where participant_id = $1', [participantId])).toEqual([
      { total: 90_000, balance: 0 },
    ])
    expect(await chargeOf(chargeId)).toMatchObject({ flag: null })
    await checkout.sales.publish({ products: [WORKED_EXAMPLE.products[0]!] })
    await checkout.mustAddUp()
  })

  it('completes the registration at the confirmed price if the discount code was used up, or tags were removed, during the payment', async () => {
    const limited = { discounts: [{ ...WORKED_EXAMPLE.discounts[0]!, maxUses: 1 }] }
    await checkout.sales.publish(limited)
    const withCode = async () =>
      (await checkout.sales.register({ pass: 1 }, { status: 'incomplete', data: { '@discount.code': 'save15' } })).participant.id as string
    const participantId = await withCode()
    const begun = await checkout.beginPayment(participantId)
    await checkout.opens(begun)
    // The hold is released, and another participant uses the discount code.
    await checkout.at((ctx) => releaseHolds(ctx, { participantId }))
    await checkout.sales.register({ pass: 1 }, { data: { '@discount.code': 'save15' } })
    checkout.stripe.pay(begun.chargeId)
    await checkout.returnFromPayment(begun.chargeId)
    expect(await checkout.statusOf(participantId)).toBe('complete')
    expect(await chargeOf(begun.chargeId)).toMatchObject({ status: 'succeeded', flag: null, amount: 76_500 })
    expect(await checkout.rows('select total, balance from orders where participant_id = $1', [participantId])).toEqual([
      { total: 76_500, balance: 0 },
    ])
    // Control: the limit still applies to everyone who has not paid.
    await expect(checkout.beginPayment(await withCode())).rejects.toThrow('used up')

    const { participant: member } = await checkout.sales.register({ pass: 1 }, { status: 'incomplete', tags: ['member'] })
    const paying = await checkout.beginPayment(member.id)
    await checkout.opens(paying)
    await checkout.rows(`update participants set manual_tags = '{}' where id = $1`, [member.id])
    checkout.stripe.pay(paying.chargeId)
    await checkout.returnFromPayment(paying.chargeId)
    expect(await chargeOf(paying.chargeId)).toMatchObject({ status: 'succeeded', flag: null, amount: 62_400 })
    expect(await checkout.rows('select total, balance from orders where participant_id = $1', [member.id])).toEqual([
      { total: 62_400, balance: 0 },
    ])
    await checkout.mustAddUp()
  })

  it('completes the registration although a guest was registered with the same name and email address in the meantime', async () => {
    const withGuests = { ...WORKED_EXAMPLE.flows[0]!, guests: { enabled: true, max: 2, types: [] } }
    await checkout.sales.publish({ flows: [withGuests] })
    const guest = (number: number, email?: string) => ({
      [`@guest.${number}.firstName`]: 'Gus',
      [`@guest.${number}.lastName`]: 'Guest',
      ...(email ? { [`@guest.${number}.email`]: email } : {}),
    })
    const startWith = async (guests: object) => {
      const { participant } = await checkout.sales.register({ pass: 1 }, { status: 'incomplete', data: guests })
      const begun = await checkout.beginPayment(participant.id)
      await checkout.opens(begun)
      checkout.stripe.pay(begun.chargeId)
      return { participantId: participant.id as string, chargeId: begun.chargeId }
    }
    const paid = await startWith(guest(1, 'gus@example.org'))
    const twin = { '@participant.firstName': 'Gus', '@participant.lastName': 'Guest', '@participant.email': 'gus@example.org' }
    await checkout.sales.register({}, { data: twin })
    await checkout.returnFromPayment(paid.chargeId)
    expect([await checkout.statusOf(paid.participantId), (await chargeOf(paid.chargeId)).status]).toEqual(['complete', 'succeeded'])
    expect(await checkout.rows('select first_name, email from participants where host_id = $1', [paid.participantId])).toEqual([
      { first_name: 'Gus', email: null },
    ])
    // Two guests of one host with one name cannot both be registered: the payment is refunded instead of being retried forever.
    const twice = await startWith({ ...guest(1), ...guest(2) })
    await checkout.returnFromPayment(twice.chargeId)
    expect([await checkout.statusOf(twice.participantId), await checkout.mails(twice.participantId)]).toEqual([
      'incomplete',
      ['payment.refunded'],
    ])
    // Without a payment the participant is asked to enter another name.
    expect(
      await checkout.sales.refused('add_participant', { flowSlug: 'attendee', data: { ...newAttendee(), ...guest(1, 'gus@example.org') } }),
    ).toMatchObject({ code: 'conflict' })
    await checkout.mustAddUp()
  })

  it('flags a card charge after ten failed attempts to record its payment, and removes the flag once it is recorded', async () => {
    const { participantId, chargeId } = await checkout.openPaymentPage({ pass: 1 })
    const alerts = () => checkout.sales.world.logged.filter((line) => line.includes('could not be settled in 10 attempts')).length
    const attempt = async (times: number) => {
      for (let i = 0; i < times; i++) {
        await checkout.rows(
          `update outside_calls set next_attempt_at = lanyard_now() where id = (select call_id from charges where id = $1)`,
          [chargeId],
        )
        await checkout.runDueCalls()
      }
    }
    await attempt(12)
    expect((await chargeOf(chargeId)).flag, 'polling an open payment page is no failure').toBeNull()
    checkout.stripe.pay(chargeId)
    await checkout.rows('alter table payments add constraint refused check (false) not valid')
    await attempt(9)
    expect([(await chargeOf(chargeId)).flag, alerts()]).toEqual([null, 0])
    await attempt(2)
    expect(await chargeOf(chargeId)).toMatchObject({ flag: 'stripe took 900.00 EUR, but this could not be recorded in 10 attempts' })
    expect(alerts()).toBe(1)
    await checkout.rows('alter table payments drop constraint refused')
    await attempt(1)
    expect(await chargeOf(chargeId)).toMatchObject({ status: 'succeeded', flag: null })
    expect(await checkout.statusOf(participantId)).toBe('complete')
    await checkout.mustAddUp()
  })

  it('completes the registration even if saving the card fails or the refund email cannot be created', async () => {
    const consent = 'I agree that this card may be charged later.'
    const saving = await checkout.openPaymentPage({ pass: 1 }, { consent })
    const refunding = await checkout.openPaymentPage({ pass: 1, workshop: 1 })
    await checkout.at((ctx) => releaseHolds(ctx, { participantId: refunding.participantId }))
    await checkout.sales.register({ workshop: 1 })
    await checkout.rows('alter table saved_cards add constraint refused check (false) not valid')
    await checkout.rows(`alter table messages add constraint refused check (email_code <> 'payment.refunded') not valid`)
    for (const { chargeId } of [saving, refunding]) {
      checkout.stripe.pay(chargeId)
      await checkout.returnFromPayment(chargeId)
    }
    await checkout.rows('alter table saved_cards drop constraint refused')
    await checkout.rows('alter table messages drop constraint refused')
    expect(await chargeOf(saving.chargeId)).toMatchObject({ status: 'succeeded', flag: 'The card could not be saved' })
    expect(await checkout.statusOf(saving.participantId)).toBe('complete')
    expect(await chargeOf(refunding.chargeId)).toMatchObject({
      status: 'succeeded',
      flag: 'The email about this payment could not be written',
    })
    await checkout.runDueCalls()
    expect(checkout.stripe.refunds.at(-1)).toMatchObject({ amount: 107_999 })
    await checkout.mustAddUp()
  })

  it('records the amount actually received and reports a difference to the expected amount; does not record a payment in another currency', async () => {
    const less = await checkout.openPaymentPage({ pass: 1 })
    checkout.stripe.pay(less.chargeId, { amount: 89_000 })
    await checkout.returnFromPayment(less.chargeId)
    expect(await chargeOf(less.chargeId)).toMatchObject({ status: 'succeeded', flag: 'stripe took 890.00 EUR, not 900.00 EUR' })
    expect(await checkout.rows('select total, balance from orders where participant_id = $1', [less.participantId])).toEqual([
      { total: 90_000, balance: 1000 },
    ])
    const other = await checkout.openPaymentPage({ pass: 1 })
    const payments = await checkout.count('payments')
    checkout.stripe.pay(other.chargeId, { currency: 'usd' })
    await checkout.returnFromPayment(other.chargeId)
    expect(await chargeOf(other.chargeId)).toMatchObject({
      status: 'unknown',
      flag: 'stripe took 900.00 USD, not 900.00 EUR: nothing was booked',
    })
    expect([await checkout.count('payments'), await checkout.statusOf(other.participantId)]).toEqual([payments, 'incomplete'])
    expect(checkout.sales.world.logged.filter((line) => line.includes('needs manual review') && line.includes('stripe took'))).toHaveLength(
      2,
    )
    await checkout.mustAddUp()
  })

  it("creates one Stripe payment page even if Stripe's response was lost", async () => {
    const participantId = await checkout.startRegistration({ pass: 1 })
    const begun = await checkout.beginPayment(participantId)
    const pages = checkout.stripe.pages.size
    checkout.stripe.settings.next = 'silent'
    expect(await checkout.opens(begun)).toMatchObject({ status: 'unknown', url: null })
    checkout.stripe.settings.next = 'succeeded'
    const open = await checkout.opens(await checkout.beginPayment(participantId))
    expect([open.status, open.url]).toEqual(['unknown', checkout.stripe.pageOf(begun.chargeId).url])
    expect(checkout.stripe.pages.size).toBe(pages + 1)
    checkout.stripe.pay(begun.chargeId)
    expect(await checkout.returnFromPayment(begun.chargeId)).toMatchObject({ status: 'succeeded' })
  })

  it("saves a card only with the participant's consent, and stores the consent text", async () => {
    const consent = 'I agree that this card may be charged later.'
    const { participantId, chargeId } = await checkout.openPaymentPage({ pass: 1 }, { consent })
    expect(checkout.stripe.pageOf(chargeId).form).toMatchObject({
      'payment_intent_data[setup_future_usage]': 'off_session',
      customer_creation: 'always',
    })
    checkout.stripe.pay(chargeId)
    await checkout.returnFromPayment(chargeId)
    expect(
      await checkout.rows(
        'select customer_ref, method_ref, brand, last4, expires, consent, consent_at is not null as at from saved_cards where participant_id = $1',
        [participantId],
      ),
    ).toEqual([{ customer_ref: 'cus_left', method_ref: 'pm_left', brand: 'visa', last4: '4242', expires: '08/2029', consent, at: true }])
  })

  it('rejects a checkout if no card processor is connected or there is nothing to pay', async () => {
    const participantId = await checkout.startRegistration({})
    await expect(checkout.beginPayment(participantId)).rejects.toThrow('There is nothing to pay')
    const { world } = checkout.sales
    const { cards } = world.services
    world.services.cards = { for: () => null, byName: () => null }
    const paying = await checkout.startRegistration({ pass: 1 })
    await expect(checkout.beginPayment(paying)).rejects.toThrow('No card processor')
    world.services.cards = cards
  })
})
