import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPaying, type Paying, URLS } from '../../../../test/support/paying.ts'
import { refreshSetup } from '../../../surfaces/payments/checkout.ts'
import { compareWithProcessor } from '../../payments/compare.ts'
import { reconcileCharges } from '../../payments/reconcile.ts'
import { startSetup } from '../../payments/setups.ts'
import type { RecurringTaskRun } from '../../../kernel/recurring.ts'
import { beginInvoiceCheckout } from '../pay-invoices.ts'

let till: Paying
beforeAll(async () => void (till = await openPaying()))
afterAll(() => till.end())

/** A registered participant who owes 900.00. */
async function owes() {
  const { participant, invoice } = await till.story.register({ pass: 1 })
  const [{ id: orderId }] = await till.rows('select id from orders where participant_id = $1', [participant.id])
  return { participantId: participant.id as string, orderId: orderId as string, invoiceNumber: invoice.number as string }
}
const begins = (of: { participantId: string; orderId: string }) => till.at((ctx) => beginInvoiceCheckout(ctx, { ...of, urls: URLS }))
const balanceOf = async (orderId: string) => (await till.rows('select balance, unapplied from orders where id = $1', [orderId]))[0]

describe('open invoices', () => {
  it('pays all open invoices in one checkout, with a receipt by email', async () => {
    const person = await owes()
    await till.story.call('edit_participant', { participantId: person.participantId, data: { '@product.dinner': 1 } })
    const begun = await begins(person)
    expect(await till.opens(begun)).toMatchObject({ amount: { amount: '989.00' }, orderId: person.orderId })
    expect(till.stripe.pageOf(begun.chargeId).form).toMatchObject({
      'metadata[order]': person.orderId,
      'line_items[0][price_data][product_data][name]': person.invoiceNumber,
      'line_items[1][price_data][unit_amount]': '8900',
    })
    till.stripe.pay(begun.chargeId)
    expect(await till.returns(begun.chargeId)).toMatchObject({ status: 'succeeded' })
    expect(await balanceOf(person.orderId)).toEqual({ balance: 0, unapplied: 0 })
    expect(await till.mails(person.participantId)).toEqual(['payment.received'])
    await expect(begins(person)).rejects.toThrow('has no open invoices')
    await till.mustAddUp()
  })

  it('refunds a card payment as far as another payment settled the invoices in the meantime', async () => {
    const person = await owes()
    const begun = await begins(person)
    await till.opens(begun)
    const paid = { kind: 'payment', invoiceNumbers: [person.invoiceNumber], method: 'bank', reference: 'T2' }
    await till.story.call('record_manual_payment', { ...paid, amount: { amount: '900.00', currency: 'EUR' } })
    till.stripe.pay(begun.chargeId)
    await till.returns(begun.chargeId)
    await till.runDueCalls()
    expect(till.stripe.refunds.at(-1)).toMatchObject({ amount: 90_000 })
    expect(await balanceOf(person.orderId)).toEqual({ balance: 0, unapplied: 0 })
    await till.mustAddUp()
  })
})

describe('saved cards', () => {
  it('saves a card with the consent text once Stripe has confirmed it', async () => {
    const { participantId } = await owes()
    const consent = 'I agree that my card is charged when a place is free.'
    const setup = { participantId, isTestData: false, consent, urls: URLS }
    const begun = await till.at((ctx) => startSetup(ctx, setup))
    expect(await till.at((ctx) => startSetup(ctx, setup)), 'once').toEqual(begun)
    const { tenantId, eventId } = till.story.event
    const look = () => refreshSetup(till.story.world.services, { tenantId, eventId }, begun.setupId)
    expect(await look()).toMatchObject({ status: 'pending', url: till.stripe.pageOf(begun.setupId)?.url })
    expect(till.stripe.pageOf(begun.setupId).form).toMatchObject({
      mode: 'setup',
      customer_creation: 'always',
      'setup_intent_data[metadata][setup]': begun.setupId,
      success_url: `http://localhost:3000/return?setup=${begun.setupId}`,
    })
    till.stripe.leaveCard(begun.setupId)
    expect(await look()).toMatchObject({ status: 'succeeded' })
    expect(await look()).toMatchObject({ status: 'succeeded' })
    expect(await till.rows('select method_ref, consent from saved_cards where participant_id = $1', [participantId])).toEqual([
      { method_ref: 'pm_left', consent },
    ])
  })
})

describe('reconciliation with the payment processor', () => {
  const given = () => {
    const { database, queue, cards, log } = till.story.world.services
    return { transact: database.transact, queue, cards, log } as unknown as RecurringTaskRun
  }
  const loggedErrors = () => till.story.world.logged.filter((line) => line.includes('card payments differ')).map((line) => JSON.parse(line).error)
  const flagOf = async (chargeId: string) => (await till.rows('select flag from charges where id = $1', [chargeId]))[0].flag

  it('compares three days, logs nothing while the books agree, and logs each difference once', async () => {
    const paid = await till.atTheTill({ pass: 1 })
    const intent = till.stripe.pay(paid.chargeId)
    await till.returns(paid.chargeId)
    await till.story.world.clock.stopAt('2026-04-10T12:00:00Z')
    await compareWithProcessor(given())
    expect(loggedErrors()).toEqual([])

    const forgotten = await till.atTheTill({ pass: 1 })
    till.stripe.pay(forgotten.chargeId).created = Date.parse('2026-04-10T11:00:00Z') / 1000
    Object.assign(intent, { amount: 90_001 })
    till.stripe.intents.set('pi_stranger', { ...intent, id: 'pi_stranger', amount: 5, metadata: { charge: '0'.repeat(24) } })
    till.stripe.intents.set('pi_other', { ...intent, id: 'pi_other', metadata: {} })
    const removed = await till.atTheTill({ pass: 1 })
    const gone = till.stripe.pay(removed.chargeId)
    await till.returns(removed.chargeId)
    till.stripe.intents.delete(gone.id)
    await till.story.world.clock.stopAt('2026-04-10T12:30:00Z')
    await compareWithProcessor(given())
    expect(loggedErrors()).toEqual([
      `stripe lists 900.01 EUR for ${intent.id}, and 900.00 EUR is booked`,
      expect.stringMatching(/was paid and is not booked yet$/),
      'pi_stranger names a charge that is not ours',
      `stripe does not list ${gone.id}, which is booked here`,
    ])
    expect([await flagOf(paid.chargeId), await flagOf(removed.chargeId)]).toEqual([loggedErrors()[0], loggedErrors()[3]])
    await till.runDueCalls()
    expect(await till.statusOf(forgotten.participantId), 'unrecorded payments were queried').toBe('complete')
    await till.mustAddUp()
  })

  it('queues charges that are two minutes old and not being processed, every minute', async () => {
    await till.story.world.clock.stopAt('2026-04-10T13:00:00Z')
    const { callId } = await till.atTheTill({ pass: 1 })
    const sent: string[] = []
    const queue = { send: (_: unknown, work: { callId: string }) => Promise.resolve(void sent.push(work.callId)) }
    const look = () => reconcileCharges.run({ ...given(), queue } as unknown as RecurringTaskRun)
    await look()
    expect(sent).not.toContain(callId)
    await till.story.world.clock.stopAt('2026-04-10T13:02:01Z')
    await look()
    expect(sent.filter((one) => one === callId)).toHaveLength(1)
  })
})
