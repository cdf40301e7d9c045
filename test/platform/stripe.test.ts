import { randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ExternalCallRejectedError } from '../../src/kernel/external-calls.ts'
import { toCardProcessors } from '../../src/platform/card-processors.ts'
import { readEnvironment } from '../../src/platform/environment.ts'
import { createSandboxPaymentProvider } from '../../src/platform/sandbox-cards.ts'
import { soakRounds } from '../support/soak.ts'
import { signWebhook, startStripeServer } from '../support/stripe-server.ts'

const signal = new AbortController().signal
const charge = (chargeId: string, more: object = {}) => ({
  key: `charge:${chargeId}`,
  chargeId,
  amount: 6000,
  currency: 'EUR',
  card: { customerRef: 'cus_1', methodRef: 'pm_1' },
  description: 'Congress: waitlist',
  isTestData: false,
  ...more,
})

describe('Stripe adapter', () => {
  let stripe: Awaited<ReturnType<typeof startStripeServer>>
  beforeAll(async () => void (stripe = await startStripeServer()))
  afterAll(() => stripe.close())
  beforeEach(() => void (stripe.settings.next = 'succeeded'))

  it('charges a saved card with the idempotency key of the charge, once for repeated calls', async () => {
    const paid = { status: 'succeeded', providerRef: 'pi_1', amount: 6000, currency: 'EUR' }
    expect(await stripe.cards.chargeSaved(charge('c1'), signal)).toEqual(paid)
    expect(await stripe.cards.chargeSaved(charge('c1'), signal)).toEqual(paid)
    expect(stripe.intents.size).toBe(1)
    expect(stripe.requests[0]).toMatchObject({
      method: 'POST',
      path: '/v1/payment_intents',
      key: 'charge:c1',
      authorization: 'Bearer sk_of_the_test',
      form: {
        amount: '6000',
        currency: 'eur',
        customer: 'cus_1',
        payment_method: 'pm_1',
        off_session: 'true',
        confirm: 'true',
        'metadata[charge]': 'c1',
      },
    })
  })

  it('returns the decline reason of a card, retries unknown results, and rejects invalid requests permanently', async () => {
    stripe.settings.next = 'declined'
    expect(await stripe.cards.chargeSaved(charge('c2'), signal)).toEqual({
      status: 'failed',
      failureCode: 'insufficient_funds',
      providerRef: 'pi_declined',
    })
    stripe.settings.next = 'broken'
    await expect(stripe.cards.chargeSaved(charge('c3'), signal)).rejects.toThrow('Stripe answered 500')
    stripe.settings.next = 'invalid'
    await expect(stripe.cards.chargeSaved(charge('c3'), signal)).rejects.toThrow(ExternalCallRejectedError)
    stripe.settings.next = 'silent'
    await expect(stripe.cards.chargeSaved(charge('c4'), signal)).rejects.toThrow()
    stripe.settings.next = 'succeeded'
    const before = stripe.intents.size
    expect(await stripe.cards.chargeSaved(charge('c4'), signal)).toMatchObject({ status: 'succeeded' })
    expect(stripe.intents.size).toBe(before)
  })

  it('sends each request once, without telemetry, with the pinned API version', async () => {
    for (const next of ['broken', 'silent', 'proxy'] as const) {
      stripe.settings.next = next
      const before = stripe.requests.length
      await expect(stripe.cards.chargeSaved(charge(`once-${next}`), signal)).rejects.toThrow()
      expect(stripe.requests.length - before).toBe(1)
    }
    expect(stripe.requests.at(-1)!.headers).toMatchObject({ 'stripe-version': '2024-06-20' })
    expect(Object.keys(stripe.requests.at(-1)!.headers)).not.toContain('x-stripe-client-telemetry')
  })

  it('throws errors that contain no part of the secret key', async () => {
    stripe.settings.next = 'unauthorized'
    const error: Error = await stripe.cards.chargeSaved(charge('c6'), signal).catch((reason) => reason)
    expect(error.message).toBe('Stripe answered 401')
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('sk_of_the_test')
  })

  it('stops waiting for Stripe when the caller aborts the request', async () => {
    stripe.settings.next = 'hanging'
    await expect(stripe.cards.chargeSaved(charge('c7'), AbortSignal.timeout(50))).rejects.toThrow('Stripe did not answer')
    await expect(stripe.cards.fetch({ id: 'c7', checkoutRef: null, at: new Date() }, AbortSignal.abort())).rejects.toThrow()
  })

  it('returns the current status of a charge, also if its first result was unknown', async () => {
    stripe.settings.next = 'processing'
    expect(await stripe.cards.chargeSaved(charge('c5'), signal)).toEqual({ status: 'pending' })
    ;[...stripe.intents.values()].at(-1)!.status = 'succeeded'
    expect(await stripe.cards.chargeSaved(charge('c5'), signal)).toMatchObject({ status: 'succeeded' })
    expect(await stripe.cards.fetch({ id: 'c5', checkoutRef: null, at: new Date() }, signal)).toMatchObject({
      status: 'succeeded',
      amount: 6000,
    })
    expect(await stripe.cards.fetch({ id: 'absent', checkoutRef: null, at: new Date() }, signal)).toBeNull()
  })

  it('refunds part of a charge, once per idempotency key', async () => {
    const refund = { key: 'refund:r1', refundId: 'r1', providerRef: 'pi_1', amount: 1000, currency: 'EUR', isTestData: false }
    const [first, second] = [await stripe.cards.refund(refund, signal), await stripe.cards.refund(refund, signal)]
    expect(first).toMatchObject({ status: 'succeeded' })
    expect(second).toEqual(first)
  })

  it('converts amounts of currencies without decimals that Stripe nevertheless counts in hundredths', async () => {
    for (const [id, currency, counted] of [
      ['i1', 'ISK', '500000'],
      ['i2', 'UGX', '500000'],
      ['i3', 'JPY', '5000'],
      ['i4', 'EUR', '5000'],
    ] as const) {
      expect(await stripe.cards.chargeSaved(charge(id, { amount: 5000, currency }), signal)).toMatchObject({ amount: 5000, currency })
      expect(stripe.requests.at(-1)!.form['amount']).toBe(counted)
    }
  })

  it('accepts webhooks only with a valid signature within 300 seconds', () => {
    const at = new Date('2026-04-10T10:00:00Z')
    const body = JSON.stringify({ id: 'evt_1', type: 'payment_intent.succeeded', data: { object: { metadata: { charge: 'c1' } } } })
    const after = (seconds: number) => new Date(at.getTime() + seconds * 1000)
    const read = (text: string, header: string, now = at) => stripe.cards.verifyWebhook(text, header, now)
    const good = signWebhook(body, at)
    expect(read(body, good)).toEqual({
      eventId: 'evt_1',
      type: 'payment_intent.succeeded',
      chargeId: 'c1',
      refundId: null,
      setupId: null,
      providerRef: null,
      takenBack: false,
    })
    expect(read(body, good, after(300))).not.toBeNull()
    expect(read(body, good, after(-300))).not.toBeNull()
    expect(read(body, good, after(301))).toBeNull()
    expect(read(body, good, after(-301))).toBeNull()
    expect(read(body, `${good},v1=${'0'.repeat(64)}`)).not.toBeNull()
    expect(read(`${body} `, good)).toBeNull()
    expect(read(body, signWebhook(body, at, 'whsec_another'))).toBeNull()
    expect(read(body, good.replace(/t=\d+/, 't=1'))).toBeNull()
    for (let i = 0; i < soakRounds(1000); i++) {
      const forged = randomBytes(32).toString('hex')
      expect(read(body, `t=${Math.floor(at.getTime() / 1000)},v1=${i % 2 ? forged : forged.slice(i % 64)},v0=${forged}`)).toBeNull()
    }
  })
})

describe('payment sandbox', () => {
  it('simulates test cards and rejects real ones', async () => {
    let now = 0
    const sandbox = createSandboxPaymentProvider(() => now)
    const pay = (methodRef: string, chargeId: string) =>
      sandbox.chargeSaved(charge(chargeId, { isTestData: true, card: { customerRef: '', methodRef } }), signal)
    expect(await pay('4242424242424242', 'a')).toMatchObject({ status: 'succeeded', amount: 6000 })
    expect(await pay('4000000000000002', 'b')).toMatchObject({ status: 'failed' })
    await expect(pay('4000000000000119', 'c')).rejects.toThrow()
    now = 60_000
    expect(await pay('4000000000000119', 'c')).toMatchObject({ status: 'succeeded' })
    await expect(sandbox.chargeSaved(charge('d'), signal)).rejects.toThrow(ExternalCallRejectedError)
  })

  it('always uses the payment sandbox for test data, independent of the configured payment provider', () => {
    const cards = toCardProcessors(createSandboxPaymentProvider())
    expect(cards.for({ isTestData: true })?.name).toBe('sandbox')
    expect(toCardProcessors(null).for({ isTestData: false })).toBeNull()
  })
})

describe('LANYARD_PAYMENTS_PROVIDER', () => {
  const read = (env: NodeJS.ProcessEnv) => readEnvironment(env, false)

  it('accepts no cards by default, and requires a key when a payment provider is set', () => {
    expect(read({}).stripe).toBeNull()
    expect(() => read({ LANYARD_PAYMENTS_PROVIDER: 'stripe' })).toThrow('STRIPE_SECRET_KEY is not set')
    expect(() => read({ LANYARD_PAYMENTS_PROVIDER: 'cash' })).toThrow('LANYARD_PAYMENTS_PROVIDER must be one of manual, stripe')
    const set = read({ LANYARD_PAYMENTS_PROVIDER: 'stripe', STRIPE_SECRET_KEY: 'sk_1' })
    expect([set.stripe?.secretKey.reveal(), set.stripe?.address, set.warnings.length]).toEqual(['sk_1', undefined, 1])
    const at = (address: string) =>
      read({ LANYARD_PAYMENTS_PROVIDER: 'stripe', STRIPE_SECRET_KEY: 'sk_1', STRIPE_API_BASE: address }).stripe?.address
    expect(at('http://localhost:12111')).toBe('http://localhost:12111')
    expect(() => at('localhost')).toThrow('STRIPE_API_BASE must be an address')
  })
})
