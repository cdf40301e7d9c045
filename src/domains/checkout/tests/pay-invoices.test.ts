import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPaymentScenario, type PaymentScenario, CHECKOUT_URLS } from '../../../../test/support/payment-scenario.ts'
import { refreshCardSetupStatus } from '../../../surfaces/payments/checkout.ts'
import { compareChargesWithProcessor } from '../../payments/compare.ts'
import { reconcileChargesTask } from '../../payments/reconcile.ts'
import { startCardSetup } from '../../payments/card-setups.ts'
import type { RecurringTaskContext } from '../../../kernel/recurring.ts'
import { beginInvoiceCheckout } from '../pay-invoices.ts'
import { endCheckout, isBlockedCheckout } from '../../payments/checkout.ts'

let checkout: PaymentScenario
beforeAll(async () => void (checkout = await openPaymentScenario()))
afterAll(() => checkout.end())

/** Registers a participant who owes 900.00. */
async function owes() {
  const { participant, invoice } = await checkout.sales.register({ pass: 1 })
  const [{ id: orderId }] = await checkout.rows('select id from orders where participant_id = $1', [participant.id])
  return { participantId: participant.id as string, orderId: orderId as string, invoiceNumber: invoice.number as string }
}
const begins = async (of: { participantId: string; orderId: string }) => {
  const start = await checkout.at((ctx) => beginInvoiceCheckout(ctx, { ...of, urls: CHECKOUT_URLS }))
  if (isBlockedCheckout(start)) throw new Error(`the payment page of charge ${start.blockedBy.chargeId} is still open`)
  return start
}
const balanceOf = async (orderId: string) => (await checkout.rows('select balance, unapplied from orders where id = $1', [orderId]))[0]

describe('card payment of open invoices', () => {
  it('pays all open invoices of an order in one checkout, and emails a receipt', async () => {
    const person = await owes()
    await checkout.sales.call('edit_participant', { participantId: person.participantId, data: { '@product.dinner': 1 } })
    const begun = await begins(person)
    expect(await checkout.opens(begun)).toMatchObject({ amount: { amount: '989.00' }, orderId: person.orderId })
    expect(checkout.stripe.pageOf(begun.chargeId).form).toMatchObject({
      'metadata[order]': person.orderId,
      'line_items[0][price_data][product_data][name]': person.invoiceNumber,
      'line_items[1][price_data][unit_amount]': '8900',
    })
    checkout.stripe.pay(begun.chargeId)
    expect(await checkout.returnFromPayment(begun.chargeId)).toMatchObject({ status: 'succeeded' })
    expect(await balanceOf(person.orderId)).toEqual({ balance: 0, unapplied: 0 })
    expect(await checkout.mails(person.participantId)).toEqual(['payment.received'])
    await expect(begins(person)).rejects.toThrow('has no open invoices')
    await checkout.mustAddUp()
  })

  it('refuses to open a payment page for invoices while a page for another amount is open', async () => {
    const person = await owes()
    const begun = await begins(person)
    await checkout.opens(begun)
    expect(await begins(person)).toEqual(begun)
    await checkout.sales.call('edit_participant', { participantId: person.participantId, data: { '@product.dinner': 1 } })
    await expect(begins(person)).rejects.toThrow(`charge ${begun.chargeId} is still open`)
    await checkout.at((ctx) => endCheckout(ctx, begun.chargeId))
    await checkout.returnFromPayment(begun.chargeId)
    expect(await checkout.opens(await begins(person))).toMatchObject({ amount: { amount: '989.00' } })
  })

  it('refunds the part of a card payment for invoices that another payment settled in the meantime', async () => {
    const person = await owes()
    const begun = await begins(person)
    await checkout.opens(begun)
    const paid = { kind: 'payment', invoiceNumbers: [person.invoiceNumber], method: 'bank', reference: 'T2' }
    await checkout.sales.call('record_manual_payment', { ...paid, amount: { amount: '900.00', currency: 'EUR' } })
    checkout.stripe.pay(begun.chargeId)
    await checkout.returnFromPayment(begun.chargeId)
    await checkout.runDueCalls()
    expect(checkout.stripe.refunds.at(-1)).toMatchObject({ amount: 90_000 })
    expect(await balanceOf(person.orderId)).toEqual({ balance: 0, unapplied: 0 })
    await checkout.mustAddUp()
  })
})

describe('saved cards', () => {
  it('saves a card with the consent text once Stripe has confirmed the card', async () => {
    const { participantId } = await owes()
    const consent = 'I agree that my card is charged when a place is free.'
    const setup = { participantId, isTestData: false, consent, urls: CHECKOUT_URLS }
    const begun = await checkout.at((ctx) => startCardSetup(ctx, setup))
    expect(await checkout.at((ctx) => startCardSetup(ctx, setup)), 'once').toEqual(begun)
    const { tenantId, eventId } = checkout.sales.event
    const look = () => refreshCardSetupStatus(checkout.sales.world.services, { tenantId, eventId }, begun.setupId)
    expect(await look()).toMatchObject({ status: 'pending', url: checkout.stripe.pageOf(begun.setupId)?.url })
    expect(checkout.stripe.pageOf(begun.setupId).form).toMatchObject({
      mode: 'setup',
      customer_creation: 'always',
      'setup_intent_data[metadata][setup]': begun.setupId,
      success_url: `http://localhost:3000/return?setup=${begun.setupId}`,
    })
    checkout.stripe.saveCard(begun.setupId)
    expect(await look()).toMatchObject({ status: 'succeeded' })
    expect(await look()).toMatchObject({ status: 'succeeded' })
    expect(await checkout.rows('select method_ref, consent from saved_cards where participant_id = $1', [participantId])).toEqual([
      { method_ref: 'pm_left', consent },
    ])
  })
})

describe('reconciliation with the payment processor', () => {
  const given = () => {
    const { database, queue, cards, log } = checkout.sales.world.services
    return { transact: database.transact, queue, cards, log } as unknown as RecurringTaskContext
  }
  const loggedErrors = () =>
    checkout.sales.world.logged.filter((line) => line.includes('card payments differ')).map((line) => JSON.parse(line).error)
  const flagOf = async (chargeId: string) => (await checkout.rows('select flag from charges where id = $1', [chargeId]))[0].flag

  it("compares the payments of three days with the processor's records, and logs each difference only once", async () => {
    const paid = await checkout.openPaymentPage({ pass: 1 })
    const intent = checkout.stripe.pay(paid.chargeId)
    await checkout.returnFromPayment(paid.chargeId)
    await checkout.sales.world.clock.stopAt('2026-04-10T12:00:00Z')
    await compareChargesWithProcessor(given())
    expect(loggedErrors()).toEqual([])

    const forgotten = await checkout.openPaymentPage({ pass: 1 })
    checkout.stripe.pay(forgotten.chargeId).created = Date.parse('2026-04-10T11:00:00Z') / 1000
    Object.assign(intent, { amount: 90_001 })
    checkout.stripe.intents.set('pi_stranger', { ...intent, id: 'pi_stranger', amount: 5, metadata: { charge: '0'.repeat(24) } })
    checkout.stripe.intents.set('pi_other', { ...intent, id: 'pi_other', metadata: {} })
    const removed = await checkout.openPaymentPage({ pass: 1 })
    const gone = checkout.stripe.pay(removed.chargeId)
    await checkout.returnFromPayment(removed.chargeId)
    checkout.stripe.intents.delete(gone.id)
    await checkout.sales.world.clock.stopAt('2026-04-10T12:30:00Z')
    await compareChargesWithProcessor(given())
    expect(loggedErrors()).toEqual([
      `stripe lists 900.01 EUR for ${intent.id}, and 900.00 EUR is booked`,
      expect.stringMatching(/was paid and is not booked yet$/),
      'pi_stranger names a charge that is not ours',
      `stripe does not list ${gone.id}, which is booked here`,
    ])
    expect([await flagOf(paid.chargeId), await flagOf(removed.chargeId)]).toEqual([loggedErrors()[0], loggedErrors()[3]])
    await checkout.runDueCalls()
    expect(await checkout.statusOf(forgotten.participantId), 'unrecorded payments were queried').toBe('complete')
    await checkout.mustAddUp()
  })

  it('queues open charges for another check if no worker has processed them for two minutes', async () => {
    await checkout.sales.world.clock.stopAt('2026-04-10T13:00:00Z')
    const { callId } = await checkout.openPaymentPage({ pass: 1 })
    const sent: string[] = []
    const queue = { send: (_: unknown, work: { callId: string }) => Promise.resolve(void sent.push(work.callId)) }
    const look = () => reconcileChargesTask.run({ ...given(), queue } as unknown as RecurringTaskContext)
    await look()
    expect(sent).not.toContain(callId)
    await checkout.sales.world.clock.stopAt('2026-04-10T13:02:01Z')
    await look()
    expect(sent.filter((one) => one === callId)).toHaveLength(1)
  })
})
