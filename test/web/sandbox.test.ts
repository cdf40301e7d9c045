import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPaymentScenario, type PaymentScenario } from '../support/payment-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { signedInVisitor, type Visitor, visitor } from '../support/visitor.ts'

describe('/sandbox/pay/<charge>', () => {
  let checkout: PaymentScenario
  let served: Served
  let person: Visitor
  let real: string
  const AT = Date.parse('2026-04-10T10:00:00Z')
  const pay = (chargeId: string, card: string) => person.post(`/sandbox/pay/${chargeId}`, { card })

  beforeAll(async () => {
    checkout = await openPaymentScenario(undefined, { baseUrl: await chooseFreeBaseUrl() })
    served = await serve(checkout.sales.world, { extras: { cards: checkout.sales.world.services.cards } })
    person = visitor(served)
    real = (await checkout.openPaymentPage({ pass: 1 })).chargeId
    await checkout.sales.call('update_event', { testMode: true, locales: ['en', 'de'] })
  })
  afterAll(() => checkout.end())

  it('shows the amount on the sandbox payment page, marks the page as a test, and accepts a card without scripts', async () => {
    const { participantId, chargeId } = await checkout.openPaymentPage({ pass: 1 })
    const [{ checkout_url }] = await checkout.rows('select checkout_url from charges where id = $1', [chargeId])
    expect(new URL(checkout_url).pathname).toBe(`/sandbox/pay/${chargeId}`)
    const page = await person.get(`/sandbox/pay/${chargeId}`)
    expect(page.status).toBe(200)
    expect(page.text).toContain('TEST — no money')
    expect(page.text).toContain('€900.00')
    // The page is in the visitor's language, with one choice per card.
    const german = await person.get(`/sandbox/pay/${chargeId}?lang=de`)
    for (const text of ['TEST — kein Geld', 'Es wird keine Karte belastet', 'Testkarte auswählen', 'Die Karte wird abgelehnt', '900,00'])
      expect(german.text).toContain(text)
    for (const text of ['TEST — no money', 'declined', 'Cancel', 'Choose']) expect(german.text).not.toContain(text)
    await person.get(`/sandbox/pay/${chargeId}?lang=en`)
    expect(page.html.match(/type="radio" name="card"/g)).toHaveLength(3)
    const refused = await pay(chargeId, '4111 1111 1111 1111')
    expect([refused.status, refused.text.includes('Use one of the three test cards below')]).toEqual([400, true])
    expect((await person.post(`/sandbox/pay/${chargeId}`, { card: '4242424242424242' }, { csrf: 'forged' })).status).toBe(400)
    expect(await checkout.returnFromPayment(chargeId)).toMatchObject({ status: 'pending' })
    const paid = await pay(chargeId, '4242 4242 4242 4242')
    expect([paid.status, paid.location]).toEqual([303, `http://localhost:3000/return?charge=${chargeId}`])
    expect(await checkout.returnFromPayment(chargeId)).toMatchObject({ status: 'succeeded' })
    expect(await checkout.statusOf(participantId)).toBe('complete')
    expect(await checkout.rows('select method, provider, is_test_data from payments')).toEqual([
      { method: 'card', provider: 'sandbox', is_test_data: true },
    ])
    expect(await checkout.count(`messages where status = 'queued'`), 'emails of test data are not sent').toBe(0)
    expect((await person.get(`/sandbox/pay/${chargeId}`)).text).toContain('This payment page has already been used or has expired')
    expect(checkout.stripe.intents.size, 'no request to Stripe for test data').toBe(0)
  })

  it('declines one test card, and leaves the payment with another test card pending for a minute', async () => {
    const declined = await checkout.openPaymentPage({ pass: 1 })
    await pay(declined.chargeId, '4000 0000 0000 0002')
    expect(await checkout.returnFromPayment(declined.chargeId)).toMatchObject({ status: 'failed', failureCode: 'card_declined' })
    const again = await checkout.beginPayment(declined.participantId)
    await checkout.opens(again)
    await pay(again.chargeId, '4000 0000 0000 0119')
    expect(await checkout.returnFromPayment(again.chargeId)).toMatchObject({ status: 'unknown' })
    await checkout.sales.world.clock.stopAt(new Date(AT + 59_000).toISOString())
    expect(await checkout.returnFromPayment(again.chargeId)).toMatchObject({ status: 'unknown' })
    await checkout.sales.world.clock.stopAt(new Date(AT + 61_000).toISOString())
    await checkout.runDueCalls()
    expect(await checkout.returnFromPayment(again.chargeId)).toMatchObject({ status: 'succeeded' })
    expect(await checkout.statusOf(declined.participantId)).toBe('complete')
  })

  it('returns 404 on the sandbox payment page for real and unknown charges', async () => {
    for (const path of [`/sandbox/pay/${real}`, `/sandbox/pay/${'0'.repeat(24)}`, '/sandbox/pay/x', `/sandbox/other/${real}`]) {
      expect((await person.get(path)).status).toBe(404)
      expect((await person.post(path, { card: '4242424242424242' }, { csrf: 'x' })).status).toBe(404)
    }
    expect(await checkout.rows('select status, checkout_ref from charges where id = $1', [real])).toEqual([
      { status: 'pending', checkout_ref: checkout.stripe.pageOf(real).id },
    ])
  })

  it('lists payments that need manual review in the console', async () => {
    await checkout.rows(`update charges set flag = 'stripe took 890.00 EUR, not 900.00 EUR' where id = $1`, [real])
    const olga = await signedInVisitor(checkout.sales.world, served, checkout.sales.olga)
    const page = await olga.get('/console/jobs')
    expect(page.text).toContain('Card payments to review')
    expect(page.text).toContain('stripe took 890.00 EUR, not 900.00 EUR')
  })
})

describe('payments at an event of the demo', () => {
  let checkout: PaymentScenario
  let served: Served
  let person: Visitor
  const pay = (chargeId: string, card: string) => person.post(`/sandbox/pay/${chargeId}`, { card })
  const setSandbox = (on: boolean) => checkout.rows('update events set sandbox_cards = $1', [on])

  beforeAll(async () => {
    checkout = await openPaymentScenario(undefined, { baseUrl: await chooseFreeBaseUrl() })
    served = await serve(checkout.sales.world, { extras: { cards: checkout.sales.world.services.cards } })
    person = visitor(served)
    await setSandbox(true)
  })
  afterAll(() => checkout.end())

  it('charges cards of real registrations at a demo event in the sandbox, and never charges a real card', async () => {
    const { participantId, chargeId } = await checkout.openPaymentPage({ pass: 1 })
    await pay(chargeId, '4000 0000 0000 0002')
    expect(await checkout.returnFromPayment(chargeId)).toMatchObject({ status: 'failed', failureCode: 'card_declined' })
    const again = await checkout.beginPayment(participantId)
    await checkout.opens(again)
    expect((await pay(again.chargeId, '4242 4242 4242 4242')).status).toBe(303)
    expect(await checkout.returnFromPayment(again.chargeId)).toMatchObject({ status: 'succeeded' })
    expect(await checkout.statusOf(participantId)).toBe('complete')
    expect(await checkout.rows('select provider, is_test_data from payments')).toEqual([{ provider: 'sandbox', is_test_data: false }])
    expect(checkout.stripe.intents.size, 'no request to Stripe').toBe(0)
  })

  it('control: refuses the sandbox for real registrations of other events, on the page and in the database', async () => {
    const { chargeId } = await checkout.openPaymentPage({ pass: 1 })
    await setSandbox(false)
    expect((await person.get(`/sandbox/pay/${chargeId}`)).status).toBe(404)
    expect((await pay(chargeId, '4242 4242 4242 4242')).status).toBe(404)
    await expect(checkout.rows(`update charges set provider = 'sandbox' where id = $1`, [chargeId])).rejects.toThrow(
      'the sandbox is for test data',
    )
    await setSandbox(true)
    expect((await person.get(`/sandbox/pay/${chargeId}`)).status).toBe(200)
  })
})
