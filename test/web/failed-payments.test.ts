import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPaymentScenario, type PaymentScenario } from '../support/payment-scenario.ts'
import { eventHomePath, signInVisitor } from '../support/own-pages.ts'
import { buildEventPath, openFormAs } from '../support/registration-form.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { type Visitor, visitor } from '../support/visitor.ts'

const [attendee] = WORKED_EXAMPLE.flows
const SECTIONS = {
  ...WORKED_EXAMPLE,
  products: WORKED_EXAMPLE.products.map((product) => ({ ...product, ...(product.code === 'pass' ? { capacity: 100 } : {}) })),
  flows: [
    {
      ...attendee!,
      pages: attendee!.pages.map((page) => ({
        ...page,
        widgets: page.widgets.map((widget) => (widget.type === 'payment' ? { ...widget, methods: ['card', 'bank'] } : widget)),
      })),
    },
  ],
}

let checkout: PaymentScenario
let served: Served
const AT = Date.parse('2026-04-10T10:00:00Z')
const later = (seconds: number) => checkout.sales.world.clock.stopAt(new Date(AT + seconds * 1000).toISOString())

beforeAll(async () => {
  checkout = await openPaymentScenario(SECTIONS, { baseUrl: await chooseFreeBaseUrl() })
  served = await serve(checkout.sales.world, { extras: { cards: checkout.sales.world.services.cards } })
})
afterAll(() => checkout.end())

const register = (path = '') => `${buildEventPath(checkout.sales.event)}/register/attendee${path}`
let made = 0

/** A participant who chose to pay by card and is on the payment page. */
async function startCardPayment() {
  const email = `payer-${++made}@example.org`
  const ada = openFormAs(visitor(served), checkout.sales.event)
  await ada.begin(email)
  await ada.fill('contact', { '@participant.firstName': 'Ada', '@participant.lastName': `Payer ${made}` })
  await ada.fill('choices', { '@product.pass': '1', _method: 'card' })
  const left = await ada.fill('summary', {}, { press: 'finish' })
  expect(left.location).toMatch(/^https:\/\/checkout\.example\//)
  const [charge] = await checkout.rows(
    `select c.id, c.participant_id from charges c join participants p on p.id = c.participant_id where p.email = $1 order by c.created_at desc`,
    [email],
  )
  return {
    ada,
    email,
    chargeId: charge.id as string,
    participantId: charge.participant_id as string,
    back: register(`/pay/return?charge=${charge.id}`),
  }
}
const held = () => checkout.sales.queryNumber(`select coalesce(sum(held), 0)::int as figure from inventory where key = 'product:pass'`)
const page = (who: Visitor, path: string) => who.get(path)

describe('return from the payment page', () => {
  it('reloads the page of a pending payment every three seconds, and after two minutes asks the participant not to pay again', async () => {
    const { ada, back, participantId, chargeId } = await startCardPayment()
    const waiting = await page(ada.who, back)
    expect(waiting.text).toContain('Waiting for your bank')
    expect(waiting.html).toMatch(/http-equiv="refresh" content="3"/)
    await later(119)
    expect((await page(ada.who, back)).html).toMatch(/http-equiv="refresh"/)
    await later(120)
    const unknown = await page(ada.who, back)
    expect(unknown.text).toContain('We cannot confirm your payment yet')
    expect(unknown.text).toContain('We will email you as soon as it is confirmed. Please do not pay again.')
    expect(unknown.html).not.toMatch(/http-equiv="refresh"/)
    expect(await checkout.statusOf(participantId)).toBe('incomplete')
    // When the payment is found, the registration is completed and confirmed by email.
    checkout.stripe.pay(chargeId)
    expect((await page(ada.who, back)).location).toBe(register('/done'))
    expect(await checkout.statusOf(participantId)).toBe('complete')
    expect((await page(ada.who, register('/done'))).text).toContain('€900.00 is paid')
    await checkout.sales.world.clock.stopAt(new Date(AT).toISOString())
    await checkout.mustAddUp()
  })

  it('keeps the selected products after a failed payment and offers another attempt to pay', async () => {
    const before = await held()
    const { ada, back, participantId, chargeId } = await startCardPayment()
    expect(await held()).toBe(before + 1)
    checkout.stripe.pageOf(chargeId).status = 'expired'
    const failed = await page(ada.who, back)
    expect(failed.location).toBe(register('/pay?failed'))
    const again = await page(ada.who, failed.location!)
    expect(again.text).toContain('The payment failed. You have not been charged. Your selection is still held')
    expect(await held()).toBe(before + 1)
    const done = await ada.fill('pay', { _method: 'bank' }, { press: 'finish' })
    expect(done.location).toBe(register('/done'))
    expect(await checkout.statusOf(participantId)).toBe('complete')
    expect((await page(ada.who, register('/done'))).text).toContain('€900.00 is still to pay')
    await checkout.mustAddUp()
  })

  it('does not show a payment of another participant whose id is in the address', async () => {
    const one = await startCardPayment()
    const other = await startCardPayment()
    checkout.stripe.pay(one.chargeId)
    expect((await page(other.ada.who, one.back)).text).toContain('Waiting for your bank')
    expect((await page(visitor(served), one.back)).location).toBe(register())
    expect(await checkout.statusOf(other.participantId)).toBe('incomplete')
  })

  it('asks the participant to try again if the payment processor does not respond, and starts no second payment', async () => {
    const email = `payer-${++made}@example.org`
    const ada = openFormAs(visitor(served), checkout.sales.event)
    await ada.begin(email)
    await ada.fill('contact', { '@participant.firstName': 'Ada', '@participant.lastName': `Payer ${made}` })
    await ada.fill('choices', { '@product.pass': '1', _method: 'card' })
    checkout.stripe.settings.next = 'broken'
    const left = await ada.fill('summary', {}, { press: 'finish' })
    checkout.stripe.settings.next = 'succeeded'
    expect(left.location).toMatch(/\/pay\/return\?charge=/)
    expect((await page(ada.who, left.location!)).text).toContain('Please do not pay again.')
    expect(
      await checkout.rows(`select from charges c join participants p on p.id = c.participant_id where p.email = $1`, [email]),
    ).toHaveLength(1)
  })
})

describe('paying an invoice later', () => {
  it('reports a failed payment of an invoice, accepts another attempt and then shows the invoice as paid once', async () => {
    const { participant } = await checkout.sales.register({ pass: 1 })
    const who = await signInVisitor(checkout.sales.world, served, checkout.sales.event, participant.email)
    const pay = `${eventHomePath(checkout.sales.event)}/registration/pay`
    const left = await who.post(pay, {})
    expect(left.location).toMatch(/^https:\/\/checkout\.example\//)
    const [charge] = await checkout.rows(`select id from charges where participant_id = $1`, [participant.id])
    const back = `${pay}/return?charge=${charge.id}`
    expect((await who.get(back)).text).toContain('Please do not pay again.')
    checkout.stripe.pageOf(charge.id).status = 'expired'
    const failed = await who.get(back)
    expect(failed.status).toBe(400)
    expect(failed.text).toContain('The payment failed. You have not been charged. Please try again.')
    await who.post(pay, {})
    const [fresh] = await checkout.rows(`select id from charges where participant_id = $1 and status = 'pending'`, [participant.id])
    checkout.stripe.pay(fresh.id)
    expect((await who.get(`${pay}/return?charge=${fresh.id}`)).location).toContain('done=paid')
    expect((await who.get(pay)).text).toContain('There is nothing to pay.')
    await checkout.mustAddUp()
  })
})
