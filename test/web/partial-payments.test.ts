import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPaymentScenario, type PaymentScenario } from '../support/payment-scenario.ts'
import { buildEventPath, openFormAs } from '../support/registration-form.ts'
import { WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { visitor } from '../support/visitor.ts'

let checkout: PaymentScenario
let served: Served

/** The form requires at least a third of the total by card and the rest within 10 days. */
const sections = {
  ...WORKED_EXAMPLE,
  flows: WORKED_EXAMPLE.flows.map((flow) => ({
    ...flow,
    pages: flow.pages.map((page) => ({
      ...page,
      widgets: page.widgets.map((widget) =>
        widget.type === 'payment'
          ? { ...widget, methods: ['card', 'bank'], allowPartial: true, minPartialPercent: 33, invoiceDueDays: 10 }
          : widget,
      ),
    })),
  })),
}

beforeAll(async () => {
  checkout = await openPaymentScenario(sections, { baseUrl: await chooseFreeBaseUrl() })
  served = await serve(checkout.sales.world, { extras: { cards: checkout.sales.world.services.cards } })
})
afterAll(() => checkout.end())

let made = 0
async function openChoicesPage() {
  const email = `part-${++made}@example.org`
  const at = openFormAs(visitor(served), checkout.sales.event)
  await at.begin(email)
  await at.fill('contact', { '@participant.firstName': 'Pat', '@participant.lastName': `Nr ${made}` })
  return { ...at, email }
}

describe('partial payment', () => {
  it('charges exactly the entered part of the total within the limits of the form, and leaves the rest due on the invoice', async () => {
    const { fill, open, email } = await openChoicesPage()
    await fill('choices', { '@product.pass': '1', _method: 'card' }, { press: 'update' })
    expect((await open('choices')).text).toContain('Between €297.00 and €900.00')
    for (const wrong of ['296.99', '900.01', 'some', '']) {
      const refused = await fill('choices', { '@product.pass': '1', _method: 'card', _part: 'part', _partAmount: wrong })
      expect([refused.status, refused.text.includes('Enter an amount within these limits')]).toEqual([400, true])
    }
    await fill('choices', { '@product.pass': '1', _method: 'card', _part: 'part', _partAmount: '300,50' })
    expect((await open('summary')).text).toContain('Pay €300.50')
    await fill('summary', {}, { press: 'finish' })
    const [charge] = await checkout.rows(
      'select c.id, amount from charges c join participants p on p.id = c.participant_id where p.email = $1',
      [email],
    )
    expect(charge.amount).toBe(30_050)
    checkout.stripe.pay(charge.id)
    await checkout.returnFromPayment(charge.id)
    expect((await checkout.rows('select flag, status from charges where id = $1', [charge.id]))[0]).toEqual({
      flag: null,
      status: 'succeeded',
    })
    const [row] = await checkout.rows(
      `select o.total, o.balance, i.due_on::text from orders o join participants p on p.id = o.participant_id
       join invoices i on i.order_id = o.id where p.email = $1`,
      [email],
    )
    expect(row).toEqual({ total: 90_000, balance: 59_950, due_on: '2026-04-20' })
    expect((await open('done')).text).toContain('€599.50')
    await checkout.mustAddUp()
  })

  it('closes the first payment page when the participant goes back and pays another amount, so that only one can be paid', async () => {
    const { fill, open, email } = await openChoicesPage()
    const charges = () =>
      checkout.rows(
        `select c.id, amount, c.status, failure_code as reason, cancel_url from charges c join participants p on p.id = c.participant_id
         where p.email = $1 order by c.created_at, c.id`,
        [email],
      )
    await fill('choices', { '@product.pass': '1', _method: 'card', _part: 'part', _partAmount: '400' })
    await fill('summary', {}, { press: 'finish' })
    const [first] = await charges()
    // The link back from the payment page leads to the choice of the amount.
    expect(new URL(first.cancel_url).pathname).toMatch(/\/register\/attendee\/pay$/)
    expect((await open('pay')).status).toBe(200)
    const paying = await fill('pay', { _method: 'card', _part: 'all' }, { press: 'finish' })
    expect(paying.location).toBe(`https://checkout.example/${checkout.stripe.pageOf((await charges())[1].id).id}`)
    expect((await charges()).map(({ amount, status, reason }) => [amount, status, reason])).toEqual([
      [40_000, 'failed', 'cancelled'],
      [90_000, 'pending', null],
    ])
    expect(checkout.stripe.pageOf(first.id).status).toBe('expired')
    // Pressing Pay again for the same amount keeps the open page.
    await fill('pay', { _method: 'card', _part: 'all' }, { press: 'finish' })
    expect(await charges()).toHaveLength(2)
    const [, second] = await charges()
    checkout.stripe.pay(second.id)
    await checkout.returnFromPayment(second.id)
    expect((await open('done')).status).toBe(200)
    expect(
      await checkout.rows(
        'select sum(amount)::int as paid from payments y join orders o on o.id = y.order_id join participants p on p.id = o.participant_id where p.email = $1',
        [email],
      ),
    ).toEqual([{ paid: 90_000 }])
    await checkout.mustAddUp()
  })

  it('completes the registration with the paid amount if the open payment page was paid before the participant chose another amount', async () => {
    const { fill, email } = await openChoicesPage()
    await fill('choices', { '@product.pass': '1', _method: 'card', _part: 'part', _partAmount: '400' })
    await fill('summary', {}, { press: 'finish' })
    const [first] = await checkout.rows('select c.id from charges c join participants p on p.id = c.participant_id where p.email = $1', [
      email,
    ])
    checkout.stripe.pay(first.id)
    const again = await fill('pay', { _method: 'card', _part: 'all' }, { press: 'finish' })
    expect(again.location).toContain('/pay/return?charge=')
    const [order] = await checkout.rows(
      'select total, balance from orders o join participants p on p.id = o.participant_id where p.email = $1',
      [email],
    )
    expect(order).toEqual({ total: 90_000, balance: 50_000 })
    expect(
      await checkout.rows('select 1 from charges c join participants p on p.id = c.participant_id where p.email = $1', [email]),
    ).toHaveLength(1)
    await checkout.mustAddUp()
  })

  it('closes the open payment page if the participant goes back and chooses to pay by bank transfer', async () => {
    const { fill, email } = await openChoicesPage()
    await fill('choices', { '@product.pass': '1', _method: 'card' })
    await fill('summary', {}, { press: 'finish' })
    await fill('pay', { _method: 'bank' }, { press: 'finish' })
    await checkout.runDueCalls()
    const [charge] = await checkout.rows(
      'select c.id, c.status, p.status as registration from charges c join participants p on p.id = c.participant_id where p.email = $1',
      [email],
    )
    expect(charge).toMatchObject({ status: 'failed', registration: 'complete' })
    expect(checkout.stripe.pageOf(charge.id).status).toBe('expired')
    await checkout.mustAddUp()
  })

  it('resets a partial payment to the full amount when the selection changes the total', async () => {
    const { fill, open } = await openChoicesPage()
    await fill('choices', { '@product.pass': '1', _method: 'card', _part: 'part', _partAmount: '400' })
    await fill('choices', { '@product.pass': '0', '@product.dinner': '1', _method: 'card', _part: 'all' })
    expect((await open('summary')).text).toContain('Pay €89.00')
  })

  it('explains partial payment on the payment page', async () => {
    const { fill, who, email } = await openChoicesPage()
    await fill('choices', { '@product.pass': '1' })
    const base = `${buildEventPath(checkout.sales.event)}/register/attendee`
    expect((await fill('summary', {}, { press: 'finish' })).location).toBe(`${base}/pay`)
    expect((await who.get(`${base}/pay`)).text).toContain('Part of it now, the rest later')
    expect((await fill('pay', { _method: 'card', _part: 'part', _partAmount: '10' }, { press: 'finish' })).status).toBe(400)
    expect((await fill('pay', { _method: 'card', _part: 'part', _partAmount: '500' }, { press: 'finish' })).status).toBe(303)
    const [charge] = await checkout.rows('select amount from charges c join participants p on p.id = c.participant_id where p.email = $1', [
      email,
    ])
    expect(charge.amount).toBe(50_000)
  })

  it('sets the due date of a bank transfer to the number of days in the form’s settings', async () => {
    const { fill, email } = await openChoicesPage()
    await fill('choices', { '@product.pass': '1', _method: 'bank' })
    await fill('summary', {}, { press: 'finish' })
    const [invoice] = await checkout.rows(
      `select i.due_on::text from invoices i join orders o on o.id = i.order_id join participants p on p.id = o.participant_id where p.email = $1`,
      [email],
    )
    expect(invoice).toEqual({ due_on: '2026-04-20' })
  })
})
