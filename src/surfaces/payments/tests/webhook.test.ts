import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runDueExternalCalls } from '../../../../test/support/scripted-cards.ts'
import { openSalesScenario, type SalesScenario, WORKED_EXAMPLE } from '../../../../test/support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../../../../test/support/server.ts'
import { signWebhook, startStripeServer, WEBHOOK_SECRET } from '../../../../test/support/stripe-server.ts'

const AT = new Date('2026-04-10T10:00:00Z')

describe('webhook of the payment processor', () => {
  let stripe: Awaited<ReturnType<typeof startStripeServer>>
  let scenario: SalesScenario
  let served: Served
  let chargeId: string
  const count = (query: string) => scenario.queryNumber(`select count(*)::int as figure from ${query}`)
  const send = (body: string, signature: string, path = '/api/payments/stripe/webhook') =>
    fetch(served.url(path), { method: 'POST', body, headers: { 'stripe-signature': signature, 'content-type': 'application/json' } })
  const notice = (id: string, type: string, metadata: object) =>
    JSON.stringify({ id, type, data: { object: { object: 'payment_intent', amount: 1, currency: 'usd', metadata } } })

  /** A participant whose card was charged, but the processor's response was lost. */
  beforeAll(async () => {
    stripe = await startStripeServer()
    const products = [
      WORKED_EXAMPLE.products[0]!,
      { ...WORKED_EXAMPLE.products[1]!, capacity: 1, waitlist: true },
      WORKED_EXAMPLE.products[2]!,
    ]
    scenario = await openSalesScenario({ ...WORKED_EXAMPLE, products }, { cards: stripe.cards })
    const env = { LANYARD_PAYMENTS_PROVIDER: 'stripe', STRIPE_SECRET_KEY: 'sk', STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET }
    served = await serve(scenario.world, { port: Number(new URL(await chooseFreeBaseUrl()).port), env })
    const first = await scenario.register({ workshop: 1 })
    const { participant } = await scenario.register({ workshop: 1 }, { joinWaitlist: true })
    await scenario.call('edit_participant', { participantId: first.participant.id, status: 'cancelled' })
    await scenario.world.database.pool.query(
      `insert into saved_cards (tenant_id, event_id, id, participant_id, is_test_data, provider, customer_ref, method_ref, consent_at)
       values ($1, $2, $3, $3, false, 'stripe', 'cus_1', 'pm_1', lanyard_now())`,
      [scenario.event.tenantId, scenario.event.eventId, participant.id],
    )
    stripe.settings.next = 'silent'
    await scenario.callConfirmed('promote_waitlist_entries', { target: 'product:workshop', count: 1, charge: 'savedCard' })
    stripe.settings.next = 'succeeded'
    const { rows } = await scenario.world.database.pool.query<{ id: string }>(`select id from charges`)
    chargeId = rows[0]!.id
  })
  afterAll(async () => {
    await scenario.world.end()
    stripe.close()
  })

  it('responds with 400 to an unsigned or outdated payment notification, and does nothing', async () => {
    const body = notice('evt_0', 'payment_intent.succeeded', { charge: chargeId })
    const old = signWebhook(body, new Date(AT.getTime() - 301_000))
    for (const signature of ['', 'v1=0', old, signWebhook(body, AT, 'whsec_other'), signWebhook(`${body} `, AT)]) {
      expect((await send(body, signature)).status).toBe(400)
    }
    expect((await send(body, signWebhook(body, AT), '/api/payments/absent/webhook')).status).toBe(404)
    expect(await count('card_notices')).toBe(0)
    await runDueExternalCalls(scenario)
    expect(await count('payments')).toBe(0)
  })

  it('processes each payment notification once, in any order, and records the payment that Stripe returns when queried', async () => {
    const types = [
      'payment_intent.succeeded',
      'checkout.session.completed',
      'payment_intent.payment_failed',
      'checkout.session.expired',
      'refund.updated',
    ]
    const bodies = types.map((type, index) => notice(`evt_${index + 1}`, type, { charge: chargeId }))
    const sent = await Promise.all(bodies.flatMap((body) => Array.from({ length: 4 }, () => send(body, signWebhook(body, AT)))))
    expect(new Set(sent.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await count('card_notices')).toBe(5)
    await Promise.all([runDueExternalCalls(scenario), runDueExternalCalls(scenario)])
    expect(await count(`payments where amount = 17999 and provider_ref = 'pi_1'`)).toBe(1)
    expect(await count(`waitlist_entries where status = 'promoted'`)).toBe(1)
    expect(stripe.intents.size).toBe(1)
    // Notifications that are repeated later have no effect.
    for (const body of bodies) expect((await send(body, signWebhook(body, AT))).status).toBe(200)
    await runDueExternalCalls(scenario)
    expect([await count('payments'), await count('charges')]).toEqual([1, 1])
  })

  it('accepts a notification about an unknown payment, and stores nothing', async () => {
    const before = await count('card_notices')
    for (const metadata of [{}, { charge: '0'.repeat(24) }, { refund: '0'.repeat(24) }]) {
      const body = notice('evt_9', 'payment_intent.succeeded', metadata)
      expect((await send(body, signWebhook(body, AT))).status).toBe(200)
    }
    expect(served.logged.filter((line) => line.includes('reported a charge that is not ours'))).toHaveLength(2)
    for (const type of ['payment_intent.created', 'charge.updated', 'customer.created']) {
      const body = notice('evt_10', type, { charge: chargeId })
      expect((await send(body, signWebhook(body, AT))).status).toBe(200)
    }
    expect(await count('card_notices')).toBe(before)
  })
})
