import { createHmac, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { reconcileChargesTask } from '../../src/domains/payments/reconcile.ts'
import type { RecurringTaskContext } from '../../src/kernel/recurring.ts'
import { toCardProcessors } from '../../src/platform/card-processors.ts'
import { toCardNotification } from '../../src/platform/stripe-answers.ts'
import { openPaymentScenario, type PaymentScenario } from '../support/payment-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { signWebhook, WEBHOOK_SECRET } from '../support/stripe-server.ts'
import { chooseForSoak, soakRounds } from '../support/soak.ts'

const AT = new Date('2026-04-10T10:00:00Z')
const CONCURRENT_COPIES = 20

/** All permutations of the items. */
function permutationsOf<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]]
  return items.flatMap((item, at) => permutationsOf(items.toSpliced(at, 1)).map((rest) => [item, ...rest]))
}

/** A soak run tests all permutations of the five notifications. SOAK=5 sends a thousand forged ones. */
const [FORGED_WEBHOOKS, EVERY_NTH_ORDER] = [soakRounds(200), chooseForSoak(1, 15)]

describe('Stripe payment webhooks', () => {
  let checkout: PaymentScenario
  let served: Served
  let events = 0
  const path = '/api/payments/stripe/webhook'
  const send = (body: string, signature = signWebhook(body, AT), at = served) =>
    fetch(at.url(path), { method: 'POST', body, headers: { 'stripe-signature': signature, 'content-type': 'application/json' } })
  const port = async () => Number(new URL(await chooseFreeBaseUrl()).port)
  const notice = (type: string, object: object) => JSON.stringify({ id: `evt_${++events}`, type, data: { object } })

  beforeAll(async () => {
    checkout = await openPaymentScenario()
    served = await serve(checkout.sales.world, { port: await port(), extras: { cards: checkout.sales.world.services.cards } })
  })
  afterAll(() => checkout.end())

  /** The ledger entries of each charge at the end. */
  const ledgerOf = async (chargeId: string) => {
    const [order] = await checkout.rows(
      `select o.total, o.balance, o.unapplied, c.status, p.status as person,
         (select array_agg(kind || ' ' || amount order by kind, amount) from ledger_entries l where l.order_id = o.id) as entries,
         (select count(*)::int from payments p where p.order_id = o.id) as payments,
         (select count(*)::int from messages m where m.to_address = p.email and m.email_code = 'registration.completed') as confirmations
       from charges c join participants p on p.id = c.participant_id left join orders o on o.participant_id = p.id where c.id = $1`,
      [chargeId],
    )
    return order
  }

  it(`rejects ${FORGED_WEBHOOKS} forged webhooks without any change`, { timeout: 600_000 }, async () => {
    const { chargeId } = await checkout.openPaymentPage({ pass: 1 })
    checkout.stripe.pay(chargeId)
    const body = notice('checkout.session.completed', { object: 'checkout.session', metadata: { charge: chargeId } })
    const stamp = Math.floor(AT.getTime() / 1000)
    const good = signWebhook(body, AT)
    const forged = (i: number): [body: string, signature: string] => {
      const hex = randomBytes(32).toString('hex')
      switch (i % 8) {
        case 0:
          return [body, `t=${stamp},v1=${hex}`]
        case 1:
          return [body, signWebhook(body, AT, `whsec_${hex}`)]
        case 2:
          return [body.replace('completed', 'expired'), good]
        case 3:
          return [body, signWebhook(body, new Date(AT.getTime() + (i % 2 ? 1 : -1) * (301_000 + i * 1000)))]
        case 4:
          return [body, good.replace(`t=${stamp}`, `t=${stamp + 1 + (i % 299)}`)]
        case 5:
          return [body, `t=${stamp},v0=${good.split('v1=')[1]}`]
        case 6:
          return [body, `t=${stamp},v1=${createHmac('sha256', WEBHOOK_SECRET).update(body).digest('hex')}`]
        default:
          return [`${body}${' '.repeat(1 + (i % 7))}`, i % 16 < 8 ? good : '']
      }
    }
    const statuses = new Map<number, number>()
    for (let i = 0; i < FORGED_WEBHOOKS; i += CONCURRENT_COPIES) {
      const answers = await Promise.all(Array.from({ length: CONCURRENT_COPIES }, (_, k) => send(...forged(i + k))))
      for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    expect([...statuses]).toEqual([[400, FORGED_WEBHOOKS]])
    await checkout.runDueCalls()
    expect([await checkout.count('card_notices'), await checkout.count('payments')]).toEqual([0, 0])

    // Control: without signature verification the forged webhooks are accepted.
    const open = { ...checkout.stripe.cards, verifyWebhook: (text: string) => toCardNotification(JSON.parse(text)) }
    const unverified = await serve(checkout.sales.world, { port: await port(), extras: { cards: toCardProcessors(open) } })
    for (let i = 0; i < 8; i++) expect((await send(...forged(i), unverified)).status).toBe(200)
    await unverified.stop()
    expect(await checkout.count('card_notices')).toBeGreaterThan(0)
  })

  it(
    `records one payment and sends one email for ${CONCURRENT_COPIES} concurrent copies of a webhook, the return page and the reconciler`,
    { timeout: 300_000 },
    async () => {
      const { chargeId, participantId } = await checkout.openPaymentPage({ pass: 1, dinner: 2 })
      const intent = checkout.stripe.pay(chargeId)
      const bodies = [
        notice('checkout.session.completed', { object: 'checkout.session', metadata: { charge: chargeId }, payment_intent: intent.id }),
        notice('payment_intent.succeeded', { ...intent }),
      ]
      const { database, queue } = checkout.sales.world.services
      const reconcile = () => reconcileChargesTask.run({ transact: database.transact, queue } as unknown as RecurringTaskContext)
      const sent = await Promise.all([
        ...bodies.flatMap((body) => Array.from({ length: CONCURRENT_COPIES }, () => send(body).then(({ status }) => status))),
        ...Array.from({ length: 5 }, () => checkout.returnFromPayment(chargeId).then(() => 200)),
        ...Array.from({ length: 5 }, () => checkout.runDueCalls().then(() => 200)),
        reconcile().then(() => 200),
      ])
      expect(new Set(sent)).toEqual(new Set([200]))
      await checkout.runDueCalls()
      const once = { total: 107_800, balance: 0, status: 'succeeded', person: 'complete', payments: 1, confirmations: 1 }
      expect(await ledgerOf(chargeId)).toMatchObject(once)
      expect(await checkout.count(`card_notices where notice = '${JSON.parse(bodies[0]!).id}'`)).toBe(1)
      await checkout.mustAddUp()

      // Controls: a call that is processed again is stopped by the unique index on the payment; without the index the payment is recorded
      // twice.
      const forget = async () => {
        await checkout.rows(`update charges set status = 'pending', provider_ref = null where id = $1`, [chargeId])
        await checkout.rows(
          `update outside_calls set status = 'waiting', ended_at = null, next_attempt_at = lanyard_now() where id = (select call_id from charges where id = $1)`,
          [chargeId],
        )
        await checkout.runDueCalls()
      }
      await forget()
      expect(await ledgerOf(chargeId)).toMatchObject({ ...once, status: 'pending' })
      await checkout.rows('drop index payments_of_provider')
      await checkout.sales.world.clock.stopAt('2026-04-10T10:05:00Z')
      await checkout.runDueCalls()
      expect(await ledgerOf(chargeId)).toMatchObject({ payments: 2 })
      await expect(checkout.mustAddUp()).rejects.toThrow('I8')
      expect(await checkout.statusOf(participantId)).toBe('complete')
    },
  )
})

describe('five Stripe notifications of one payment', () => {
  let checkout: PaymentScenario
  let served: Served
  beforeAll(async () => {
    checkout = await openPaymentScenario()
    served = await serve(checkout.sales.world, {
      port: Number(new URL(await chooseFreeBaseUrl()).port),
      extras: { cards: checkout.sales.world.services.cards },
    })
  })
  afterAll(() => checkout.end())

  it(
    `produces the same ledger for ${120 / EVERY_NTH_ORDER} of the 120 possible sequences of five notifications`,
    { timeout: 900_000 },
    async () => {
      const notificationIndexes = [0, 1, 2, 3, 4]
      const found = new Set<string>()
      let events = 0
      for (const order of permutationsOf(notificationIndexes).filter((_, at) => at % EVERY_NTH_ORDER === 0)) {
        const { chargeId } = await checkout.openPaymentPage({ pass: 1 })
        const intent = checkout.stripe.pay(chargeId)
        const refund = checkout.stripe.refundByHand(intent.id, 30_000)
        const dispute = checkout.stripe.dispute(intent.id, 20_000, 'lost')
        const objects: [type: string, object: object][] = [
          ['checkout.session.completed', { object: 'checkout.session', metadata: { charge: chargeId }, payment_intent: intent.id }],
          ['payment_intent.succeeded', { ...intent }],
          ['charge.refunded', { object: 'charge', id: 'ch_1', metadata: { charge: chargeId }, payment_intent: intent.id }],
          ['refund.updated', { object: 'refund', id: refund.id, payment_intent: intent.id, metadata: {} }],
          ['charge.dispute.closed', { object: 'dispute', id: dispute.id, payment_intent: intent.id, metadata: {} }],
        ]
        for (const at of order) {
          const [type, object] = objects[at]!
          const body = JSON.stringify({ id: `evt_${++events}`, type, data: { object } })
          const { status } = await fetch(served.url('/api/payments/stripe/webhook'), {
            method: 'POST',
            body,
            headers: { 'stripe-signature': signWebhook(body, AT) },
          })
          expect(status).toBe(200)
          await checkout.runDueCalls()
        }
        const [ledger] = await checkout.rows(
          `select o.total, o.balance, o.unapplied, c.status, p.status as person,
           (select array_agg(kind || ' ' || amount order by kind, amount) from ledger_entries l where l.order_id = o.id) as entries,
           (select count(*)::int from messages m where m.to_address = p.email) as mails
         from charges c join participants p on p.id = c.participant_id join orders o on o.participant_id = p.id where c.id = $1`,
          [chargeId],
        )
        found.add(JSON.stringify(ledger))
      }
      expect([...found].map((text) => JSON.parse(text) as object)).toEqual([
        {
          total: 90_000,
          balance: 50_000,
          unapplied: 0,
          status: 'succeeded',
          person: 'complete',
          entries: ['invoice 90000', 'payment -90000', 'payment_reversal 20000', 'payment_reversal 30000'],
          mails: 1,
        },
      ])
      await checkout.mustAddUp()
    },
  )
})
