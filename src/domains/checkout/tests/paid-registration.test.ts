import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openPaying, type Paying } from '../../../../test/support/paying.ts'
import { WORKED_EXAMPLE } from '../../../../test/support/selling.ts'
import { HOLD_MINUTES, holdUnits, releaseHolds } from '../../inventory/units.ts'
import { endCheckout } from '../../payments/checkout.ts'
import { cancelRegistration } from '../../registration/cancel.ts'
import { getParticipant } from '../../registration/participant-rows.ts'
import { expireHolds } from '../../registration/promotion/expire-holds.ts'
import { loadEventSnapshot } from '../../registration/event-snapshot.ts'
import { createTaskRun } from '../../../surfaces/worker/run-recurring.ts'

const AT = Date.parse('2026-04-10T10:00:00Z')
const after = (minutes: number) => new Date(AT + minutes * 60_000).toISOString()

/** There is only one workshop seat. */
const ONE_WORKSHOP = {
  ...WORKED_EXAMPLE,
  products: [WORKED_EXAMPLE.products[0]!, { ...WORKED_EXAMPLE.products[1]!, capacity: 1 }, WORKED_EXAMPLE.products[2]!],
}

describe('paid registrations', () => {
  let till: Paying
  const chargeOf = async (id: string) => (await till.rows('select * from charges where id = $1', [id]))[0]
  const workshop = async () => (await till.rows(`select held, sold from inventory where key = 'product:workshop'`))[0]
  const freeWorkshop = async () => {
    const [one] = await till.rows(
      `select l.participant_id as id from order_lines l where l.product_code = 'workshop' group by 1 having sum(l.quantity) > 0`,
    )
    if (one) await till.story.call('edit_participant', { participantId: one.id, status: 'cancelled' })
  }

  beforeAll(async () => void (till = await openPaying(ONE_WORKSHOP)))
  beforeEach(async () => {
    till.stripe.settings.next = 'succeeded'
    await till.story.world.clock.stopAt(after(0))
    await till.story.world.keepSignedIn()
    await freeWorkshop()
  })
  afterAll(() => till.end())

  it('completes the registration once Stripe was paid, with order, invoice, payment and one email; sells nothing before that', async () => {
    const participantId = await till.starts({ pass: 1, dinner: 2 })
    const begun = await till.begins(participantId)
    expect(till.stripe.pages.size, 'Stripe is not called before the row is stored').toBe(0)
    const open = await till.opens(begun)
    expect(open).toMatchObject({ status: 'pending', amount: { amount: '1078.00', currency: 'EUR' }, url: 'https://checkout.example/cs_1' })
    const { form } = till.stripe.pageOf(begun.chargeId)
    expect(form).toMatchObject({
      mode: 'payment',
      client_reference_id: begun.chargeId,
      'metadata[charge]': begun.chargeId,
      'metadata[event]': till.story.event.eventId,
      expires_at: String((AT + 31 * 60_000) / 1000),
      success_url: `http://localhost:3000/return?charge=${begun.chargeId}`,
      'line_items[0][price_data][product_data][name]': 'Pass',
      'line_items[0][price_data][unit_amount]': '90000',
      'line_items[1][price_data][product_data][name]': 'Dinner × 2',
      'line_items[1][price_data][unit_amount]': '17800',
    })
    expect(Object.keys(form).some((name) => name.includes('setup_future_usage'))).toBe(false)
    expect(await till.returns(begun.chargeId)).toMatchObject({ status: 'pending' })
    expect([await till.statusOf(participantId), await till.count('orders'), await till.mails(participantId)]).toEqual(['incomplete', 0, []])

    till.stripe.pay(begun.chargeId)
    expect(await till.returns(begun.chargeId)).toMatchObject({ status: 'succeeded', url: null })
    expect([await till.statusOf(participantId), await till.mails(participantId)]).toEqual(['complete', ['registration.completed']])
    const { order } = await till.story.call('get_participant', { participantId, include: ['orders'] })
    expect(order).toMatchObject({ total: { amount: '1078.00' }, balance: { amount: '0.00' } })
    expect(
      await till.rows(
        `select amount, method, provider_ref from payments where order_id = (select id from orders where participant_id = $1)`,
        [participantId],
      ),
    ).toEqual([{ amount: 107_800, method: 'card', provider_ref: 'pi_1' }])
    expect(await till.count('saved_cards')).toBe(0)
    await till.mustAddUp()
  })

  it('reuses the open checkout if the participant presses Pay repeatedly; ends it first for a different amount', async () => {
    const participantId = await till.starts({ pass: 1 })
    const [first, second] = await Promise.all([till.begins(participantId), till.begins(participantId), till.begins(participantId)])
    expect(second).toEqual(first)
    await Promise.all([till.opens(first), till.opens(second), till.opens(first)])
    const pages = till.stripe.pages.size
    await till.opens(await till.begins(participantId))
    expect(till.stripe.pages.size).toBe(pages)
    expect(await till.count(`charges where participant_id = '${participantId}'`)).toBe(1)
    await till.story.call('edit_participant', { participantId, data: { '@product.dinner': 1 } })
    await expect(till.begins(participantId)).rejects.toThrow('A payment of 900.00 EUR is still open')
    await till.at((ctx) => endCheckout(ctx, first.chargeId))
    expect(await till.returns(first.chargeId)).toMatchObject({ status: 'failed', failureCode: 'cancelled' })
    const again = await till.begins(participantId)
    expect(again.chargeId).not.toBe(first.chargeId)
    expect(await till.opens(again)).toMatchObject({ amount: { amount: '989.00' } })
    till.stripe.pay(again.chargeId)
    await till.returns(again.chargeId)
    expect(await till.statusOf(participantId)).toBe('complete')
    await till.mustAddUp()
  })

  it('allows one open charge per order, enforced by the database', async () => {
    const { participantId } = await till.atTheTill({ pass: 1 })
    const copied = `insert into charges (tenant_id, event_id, id, participant_id, is_test_data, purpose, amount, currency, provider, status)
      select tenant_id, event_id, substr(md5(random()::text), 1, 24), participant_id, false, purpose, amount, currency, provider, 'unknown' from charges where participant_id = $1`
    await expect(till.rows(copied, [participantId])).rejects.toThrow('charges_open_of_person')
  })

  it('holds capacity while a payment is uncertain, and releases it once Stripe confirms that it can no longer be paid', async () => {
    const { participantId, chargeId } = await till.atTheTill({ pass: 1, workshop: 1 })
    const sweep = () => expireHolds.run(createTaskRun(till.story.world.services, expireHolds.name, new Date()))
    await till.story.world.clock.stopAt(after(HOLD_MINUTES + 1))
    await till.story.world.keepSignedIn()
    till.stripe.settings.next = 'broken'
    await till.runDueCalls()
    await sweep()
    expect(await chargeOf(chargeId)).toMatchObject({ status: 'unknown' })
    expect(await workshop()).toEqual({ held: 1, sold: 0 })
    expect(
      await till.story.refused('add_participant', {
        flowSlug: 'attendee',
        data: {
          '@participant.firstName': 'A',
          '@participant.lastName': 'B',
          '@participant.email': 'ab@example.org',
          '@product.workshop': 1,
        },
      }),
    ).toMatchObject({ code: 'precondition_failed' })
    till.stripe.settings.next = 'succeeded'
    await till.story.world.clock.stopAt(after(HOLD_MINUTES + 3))
    await till.runDueCalls()
    expect(till.stripe.pageOf(chargeId).status).toBe('expired')
    expect(await chargeOf(chargeId)).toMatchObject({ status: 'failed', failure_code: 'expired' })
    expect(await workshop()).toEqual({ held: 0, sold: 0 })
    expect(await till.statusOf(participantId)).toBe('incomplete')
    // The participant was asked to wait, so an email reports the outcome.
    expect(await till.mails(participantId)).toEqual(['payment.failed'])
    await till.mustAddUp()
  })

  it('keeps renewed holds while a charge is open, because the charging mark protects them from expiry', async () => {
    const { participantId } = await till.atTheTill({ pass: 1, workshop: 1 })
    const holdAgain = () => till.at((ctx) => holdUnits(ctx, { participantId }, [{ key: 'product:workshop', quantity: 1 }]))
    const sweep = () => expireHolds.run(createTaskRun(till.story.world.services, expireHolds.name, new Date()))
    await holdAgain()
    await till.story.world.clock.stopAt(after(HOLD_MINUTES + 1))
    await sweep()
    expect(await workshop()).toEqual({ held: 1, sold: 0 })
    await till.rows('alter table holds disable trigger holds_charging')
    await holdAgain()
    await till.rows('alter table holds enable trigger holds_charging')
    await till.story.world.clock.stopAt(after(2 * HOLD_MINUTES + 2))
    await sweep()
    expect(await workshop()).toEqual({ held: 0, sold: 0 })
  })

  it('completes the registration if the payment arrived just before the hold expired', async () => {
    const { participantId, chargeId } = await till.atTheTill({ pass: 1, workshop: 1 })
    till.stripe.pay(chargeId)
    await till.story.world.clock.stopAt(after(HOLD_MINUTES + 1))
    await till.runDueCalls()
    expect([await till.statusOf(participantId), await workshop()]).toEqual(['complete', { held: 0, sold: 1 }])
    await till.mustAddUp()
  })

  it('keeps capacity for another attempt if the participant leaves the payment page early', async () => {
    const { participantId, chargeId } = await till.atTheTill({ pass: 1, workshop: 1 })
    await till.at((ctx) => endCheckout(ctx, chargeId))
    await till.returns(chargeId)
    expect(await workshop()).toEqual({ held: 1, sold: 0 })
    expect(
      await till.rows(
        `select charging, expires_at from holds where participant_id = $1 and status = 'active' and key = 'product:workshop'`,
        [participantId],
      ),
    ).toEqual([{ charging: false, expires_at: new Date(after(HOLD_MINUTES)) }])
    expect(await till.mails(participantId)).toEqual([])
    await till.at((ctx) => releaseHolds(ctx, { participantId }))
  })

  it('refunds the payment immediately, with an email, if the capacity is gone; oversells nothing', async () => {
    const { participantId, chargeId } = await till.atTheTill({ pass: 1, workshop: 1 })
    await till.at((ctx) => releaseHolds(ctx, { participantId }))
    const other = await till.story.register({ workshop: 1 })
    till.stripe.pay(chargeId)
    expect(await till.returns(chargeId)).toMatchObject({ status: 'succeeded' })
    await till.runDueCalls()
    expect([await till.statusOf(participantId), await workshop()]).toEqual(['incomplete', { held: 0, sold: 1 }])
    expect(till.stripe.refunds.at(-1)).toMatchObject({ amount: 107_999 })
    expect(await till.mails(participantId)).toEqual(['payment.refunded'])
    expect(await till.rows('select total, balance, unapplied from orders where participant_id = $1', [participantId])).toEqual([
      { total: 0, balance: 0, unapplied: 0 },
    ])
    expect(other.participant.status).toBe('complete')
    await till.mustAddUp()
  })

  it('refunds the payment if the participant cancelled in the meantime, and ends an unpaid checkout', async () => {
    const cancel = (id: string) =>
      till.at(async (ctx) => cancelRegistration(ctx, await loadEventSnapshot(ctx), await getParticipant(ctx, id), { rule: { by: 'full' } }))
    const paid = await till.atTheTill({ pass: 1 })
    till.stripe.pay(paid.chargeId)
    await cancel(paid.participantId)
    await till.runDueCalls()
    await till.runDueCalls()
    expect(await chargeOf(paid.chargeId)).toMatchObject({ status: 'succeeded' })
    expect([await till.statusOf(paid.participantId), await till.mails(paid.participantId)]).toEqual(['cancelled', ['payment.refunded']])
    expect(till.stripe.refunds.at(-1)).toMatchObject({ amount: 90_000 })
    const unpaid = await till.atTheTill({ pass: 1 })
    await cancel(unpaid.participantId)
    await till.runDueCalls()
    expect(till.stripe.pageOf(unpaid.chargeId).status).toBe('expired')
    expect(await chargeOf(unpaid.chargeId)).toMatchObject({ status: 'failed', failure_code: 'cancelled' })
    await till.mustAddUp()
  })

  it('applies the payment to open invoices if an organizer completed the registration, and refunds the rest', async () => {
    const { participantId, chargeId } = await till.atTheTill({ pass: 1 })
    await till.story.call('edit_participant', { participantId, status: 'complete' })
    const [{ number }] = await till.rows('select i.number from invoices i join orders o on o.id = i.order_id where o.participant_id = $1', [
      participantId,
    ])
    await till.story.call('record_manual_payment', {
      kind: 'payment',
      invoiceNumbers: [number],
      amount: { amount: '400.00', currency: 'EUR' },
      method: 'bank',
      reference: 'T1',
    })
    till.stripe.pay(chargeId)
    await till.returns(chargeId)
    await till.runDueCalls()
    expect(till.stripe.refunds.at(-1)).toMatchObject({ amount: 40_000 })
    expect(await till.rows('select balance, unapplied from orders where participant_id = $1', [participantId])).toEqual([
      { balance: 0, unapplied: 0 },
    ])
    await till.mustAddUp()
  })

  it('charges the confirmed price even if another version was published since', async () => {
    const { participantId, chargeId } = await till.atTheTill({ pass: 1 })
    const dear = [{ ...WORKED_EXAMPLE.products[0]!, prices: [{ amount: '990.00' }] }]
    await till.story.publish({ products: dear })
    till.stripe.pay(chargeId)
    await till.returns(chargeId)
    expect(await till.rows('select total, balance from orders where participant_id = $1', [participantId])).toEqual([
      { total: 90_000, balance: 0 },
    ])
    expect(await chargeOf(chargeId)).toMatchObject({ flag: null })
    await till.story.publish({ products: [WORKED_EXAMPLE.products[0]!] })
    await till.mustAddUp()
  })

  it('records the amount actually received and flags the difference; does not record another currency', async () => {
    const less = await till.atTheTill({ pass: 1 })
    till.stripe.pay(less.chargeId, { amount: 89_000 })
    await till.returns(less.chargeId)
    expect(await chargeOf(less.chargeId)).toMatchObject({ status: 'succeeded', flag: 'stripe took 890.00 EUR, not 900.00 EUR' })
    expect(await till.rows('select total, balance from orders where participant_id = $1', [less.participantId])).toEqual([
      { total: 90_000, balance: 1000 },
    ])
    const other = await till.atTheTill({ pass: 1 })
    const payments = await till.count('payments')
    till.stripe.pay(other.chargeId, { currency: 'usd' })
    await till.returns(other.chargeId)
    expect(await chargeOf(other.chargeId)).toMatchObject({
      status: 'unknown',
      flag: 'stripe took 900.00 USD, not 900.00 EUR: nothing was booked',
    })
    expect([await till.count('payments'), await till.statusOf(other.participantId)]).toEqual([payments, 'incomplete'])
    expect(till.story.world.logged.filter((line) => line.includes('needs manual review'))).toHaveLength(2)
    await till.mustAddUp()
  })

  it('creates one Stripe page even if the response was lost', async () => {
    const participantId = await till.starts({ pass: 1 })
    const begun = await till.begins(participantId)
    const pages = till.stripe.pages.size
    till.stripe.settings.next = 'silent'
    expect(await till.opens(begun)).toMatchObject({ status: 'unknown', url: null })
    till.stripe.settings.next = 'succeeded'
    const open = await till.opens(await till.begins(participantId))
    expect([open.status, open.url]).toEqual(['unknown', till.stripe.pageOf(begun.chargeId).url])
    expect(till.stripe.pages.size).toBe(pages + 1)
    till.stripe.pay(begun.chargeId)
    expect(await till.returns(begun.chargeId)).toMatchObject({ status: 'succeeded' })
  })

  it('saves a card only with consent, and stores the consent text', async () => {
    const consent = 'I agree that this card may be charged later.'
    const { participantId, chargeId } = await till.atTheTill({ pass: 1 }, { consent })
    expect(till.stripe.pageOf(chargeId).form).toMatchObject({
      'payment_intent_data[setup_future_usage]': 'off_session',
      customer_creation: 'always',
    })
    till.stripe.pay(chargeId)
    await till.returns(chargeId)
    expect(
      await till.rows(
        'select customer_ref, method_ref, brand, last4, expires, consent, consent_at is not null as at from saved_cards where participant_id = $1',
        [participantId],
      ),
    ).toEqual([{ customer_ref: 'cus_left', method_ref: 'pm_left', brand: 'visa', last4: '4242', expires: '08/2029', consent, at: true }])
  })

  it('rejects a checkout without a card processor, and if there is nothing to pay', async () => {
    const participantId = await till.starts({})
    await expect(till.begins(participantId)).rejects.toThrow('There is nothing to pay')
    const { world } = till.story
    const { cards } = world.services
    world.services.cards = { for: () => null, byName: () => null }
    const paying = await till.starts({ pass: 1 })
    await expect(till.begins(paying)).rejects.toThrow('No card processor')
    world.services.cards = cards
  })
})
