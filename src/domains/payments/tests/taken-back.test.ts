import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPaymentScenario, type PaymentScenario } from '../../../../test/support/payment-scenario.ts'
import type { CardProcessorNotification } from '../../../kernel/cards.ts'
import { handleProcessorNotification } from '../notices.ts'

describe('refunds and disputes at the processor', () => {
  let checkout: PaymentScenario
  let notices = 0
  beforeAll(async () => void (checkout = await openPaymentScenario()))
  afterAll(() => checkout.end())

  async function paid() {
    const person = await checkout.openPaymentPage({ pass: 1 })
    const { id: ref } = checkout.stripe.pay(person.chargeId)
    await checkout.returnFromPayment(person.chargeId)
    return { ...person, ref }
  }
  async function hears(notice: Partial<CardProcessorNotification>): Promise<void> {
    const { database, queue } = checkout.sales.world.services
    const none = { chargeId: null, refundId: null, setupId: null, providerRef: null, takenBack: true }
    const whole = { eventId: `evt_${++notices}`, type: 'charge.refunded', ...none, ...notice }
    expect(await database.transact((db) => handleProcessorNotification(db, queue, 'stripe', whole))).toBe(true)
    await checkout.runDueCalls()
  }
  const orderOf = async (participantId: string) =>
    (await checkout.rows('select total, balance, unapplied from orders where participant_id = $1', [participantId]))[0]
  const flagOf = async (chargeId: string) => (await checkout.rows('select flag from charges where id = $1', [chargeId]))[0].flag

  it("reverses a payment once if it was refunded in the processor's console", async () => {
    const { participantId, chargeId, ref } = await paid()
    checkout.stripe.refundByHand(ref, 30_000)
    for (let i = 0; i < 3; i++) await hears({ chargeId, providerRef: ref })
    expect(await orderOf(participantId)).toEqual({ total: 90_000, balance: 30_000, unapplied: 0 })
    expect(await flagOf(chargeId)).toMatch(/^Refunded at stripe: 300.00 EUR/)
    await checkout.mustAddUp()
  })

  it('books a payment dispute as a reversal, a won dispute as a payment, and nothing for an inquiry', async () => {
    const { participantId, ref } = await paid()
    const dispute = checkout.stripe.dispute(ref, 90_000, 'warning_needs_response')
    await hears({ type: 'charge.dispute.created', providerRef: ref })
    expect(await orderOf(participantId)).toMatchObject({ balance: 0 })
    dispute.status = 'needs_response'
    for (let i = 0; i < 2; i++) await hears({ type: 'charge.dispute.created', providerRef: ref })
    expect(await orderOf(participantId)).toMatchObject({ balance: 90_000 })
    dispute.status = 'won'
    for (let i = 0; i < 2; i++) await hears({ type: 'charge.dispute.closed', providerRef: ref })
    expect(await orderOf(participantId)).toEqual({ total: 90_000, balance: 0, unapplied: 0 })
    await checkout.mustAddUp()
  })

  it('books a card refund as credit again if it fails days later', async () => {
    const { participantId, chargeId } = await paid()
    await checkout.sales.call('edit_participant', { participantId, status: 'cancelled', credit: 'full' })
    const [{ number }] = await checkout.rows('select number from orders where participant_id = $1', [participantId])
    const refund = { kind: 'refund', orderNumber: number, amount: { amount: '900.00', currency: 'EUR' }, method: 'original' }
    await checkout.sales.callConfirmed('record_manual_payment', refund)
    await checkout.runDueCalls()
    expect(await orderOf(participantId)).toMatchObject({ balance: 0 })
    const sent = checkout.stripe.refunds.at(-1)!
    expect(sent).toMatchObject({ amount: 90_000, status: 'pending' })
    sent.status = 'failed'
    for (let i = 0; i < 2; i++) await hears({ type: 'refund.failed', refundId: sent.metadata['refund']!, providerRef: sent.payment_intent })
    expect(await orderOf(participantId)).toEqual({ total: 0, balance: -90_000, unapplied: -90_000 })
    expect(await flagOf(chargeId)).toMatch(/^The refund of 900.00 EUR was rejected/)
    await checkout.mustAddUp()
  })

  it('books refunds and disputes that the processor reports before the payment itself is booked', async () => {
    const person = await checkout.openPaymentPage({ pass: 1 })
    const { id: ref } = checkout.stripe.pay(person.chargeId)
    checkout.stripe.refundByHand(ref, 1000)
    await checkout.returnFromPayment(person.chargeId)
    await checkout.runDueCalls()
    expect(await orderOf(person.participantId)).toMatchObject({ balance: 1000 })
    await checkout.mustAddUp()
  })
})
