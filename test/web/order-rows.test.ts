import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { getParticipant } from '../../src/domains/registration/participant-rows.ts'
import { createHotelAt, inEventTransaction } from '../support/hotels.ts'
import { moneyRowsIn, type PrintedRow } from '../support/money-rows.ts'
import { eventHomePath, signInVisitor } from '../support/own-pages.ts'
import { openFormAs } from '../support/registration-form.ts'
import { roomFields } from '../support/room-pages.ts'
import { openSalesScenario, type SalesScenario, WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { visitor } from '../support/visitor.ts'
import { scheduleStatusEmail } from '../../src/domains/registration/due-emails.ts'

const [flow] = WORKED_EXAMPLE.flows
const [contact, choices, done] = flow!.pages

/** The worked example with rooms. Half of the dinner is refunded, and the workshop is free with a code. */
const SECTIONS = {
  ...WORKED_EXAMPLE,
  products: WORKED_EXAMPLE.products.map((product) =>
    product.code === 'dinner' ? { ...product, refundTiers: [{ until: '2026-08-01T00:00:00Z', percent: 50 }] } : product,
  ),
  discounts: [...WORKED_EXAMPLE.discounts, { code: 'all', name: 'All', kind: 'percent', value: '100' }],
  housing: { enabled: true, seeAvailability: 'exact' },
  flows: [{ ...flow!, pages: [contact!, { code: 'rooms', title: 'Rooms', widgets: [{ id: 'room', type: 'housing' }] }, choices!, done!] }],
}

let scenario: SalesScenario
let served: Served
let hotelId: string

beforeAll(async () => {
  scenario = await openSalesScenario(SECTIONS, { baseUrl: await chooseFreeBaseUrl() })
  served = await serve(scenario.world)
  hotelId = await createHotelAt(scenario.world, scenario.event)
})
afterAll(() => scenario.world.end())

const mine = (path = '') => `${eventHomePath(scenario.event)}/registration${path}`
const cents = ({ amount }: PrintedRow) => Math.round(Number(amount) * 100)
const sum = (rows: readonly PrintedRow[]) => rows.reduce((total, row) => total + cents(row), 0)

/** Asserts that the printed rows before the total add up to it, and that the rows after it lead to the open amount or the credit. */
function expectToAddUp(rows: readonly PrintedRow[]): void {
  const at = rows.findIndex(({ label }) => label === 'Total')
  expect([at >= 0, sum(rows.slice(0, at))]).toEqual([true, cents(rows[at]!)])
  const after = rows.slice(at + 1).filter(({ label }) => !label.startsWith('including'))
  if (after.length === 0) return
  const last = after.at(-1)!
  const isLeft = last.label === 'Still to pay' || last.label === 'Your credit'
  // An amount of zero is not shown as open.
  if (isLeft) expect(cents(last)).toBeGreaterThan(0)
  const left = cents(rows[at]!) - sum(isLeft ? after.slice(0, -1) : after)
  expect(left).toBe(!isLeft ? 0 : last.label === 'Your credit' ? -cents(last) : cents(last))
}

/** The order in the text part of the latest email to the address, as rows. */
async function rowsOfEmailTo(address: string): Promise<PrintedRow[]> {
  const { rows } = await scenario.world.database.pool.query<{ text_body: string }>(
    `select text_body from messages where to_address = $1 and recipient_key like 'registration.%' order by id desc limit 1`,
    [address],
  )
  return [...rows[0]!.text_body.matchAll(/^(.+): (-?)€([\d,.]+)$/gm)].map(([, label = '', sign = '', figure = '']) => ({
    label,
    amount: `${sign}${figure.replaceAll(',', '')}`,
    kind: '',
  }))
}

describe('an order on pages and in emails', () => {
  it('shows the same order lines on the review, confirmation, participant and payment pages and in the email', async () => {
    const email = 'rows@example.org'
    const form = openFormAs(visitor(served), scenario.event)
    await form.begin(email)
    await form.fill('contact', { '@participant.firstName': 'Rosa', '@participant.lastName': 'Rows' })
    await form.fill('rooms', roomFields(hotelId, '2026-09-01', '2026-09-03'))
    await form.fill('choices', { '@product.pass': '1', '@product.dinner': '2', '@discount.code': 'save15' })
    const review = await form.open('summary')
    // The room is part of the summary although it is paid at the hotel.
    expect(review.text).toMatch(/Your order .*Grand, King room 1 – 3 September 2026 · 2 nights/)
    await form.fill('summary', {}, { press: 'finish' })
    const expected = [
      ['Pass', '750.00'],
      ['Dinner', '178.00'],
      ['Discount save15', '-112.50'],
      ['VAT 20 %', '127.50'],
      ['Total', '943.00'],
      ['including VAT meals 10 %', '16.18'],
    ]
    const settled = [
      ['Paid', '0.00'],
      ['Still to pay', '943.00'],
    ]
    const plain = (rows: readonly PrintedRow[]) => rows.map(({ label, amount }) => [label.replace(/^\d × /, ''), amount])
    expect(plain(moneyRowsIn(review.html))).toEqual(expected)
    expect(plain(moneyRowsIn((await form.open('done')).html))).toEqual([...expected, ...settled])
    expect(plain(await rowsOfEmailTo(email))).toEqual([...expected, ...settled])
    const who = await signInVisitor(scenario.world, served, scenario.event, email)
    for (const path of ['', '/pay']) expect(plain(moneyRowsIn((await who.get(mine(path))).html))).toEqual([...expected, ...settled])
  })

  type Step = (participantId: string, order: { number: string; balance: object; invoices: { number: string }[] }) => Promise<unknown>
  const edit =
    (args: object): Step =>
    (participantId) =>
      scenario.call('edit_participant', { participantId, ...args })
  const pay =
    (amount: string): Step =>
    (_, { number }) =>
      scenario.call('record_manual_payment', {
        kind: 'payment',
        method: 'cash',
        orderNumber: number,
        amount: { amount, currency: 'EUR' },
      })
  const writeOff: Step = (_, { invoices, balance }) =>
    scenario.call('write_off_invoices', {
      invoiceNumbers: invoices.map(({ number }) => number),
      reason: 'goodwill',
      expectedTotal: balance,
    })

  const ORDERS: Record<string, { products: Record<string, number>; code?: string; steps: Step[] }> = {
    'with all products and a code': { products: { pass: 1, workshop: 1, dinner: 3 }, code: 'less100', steps: [] },
    'paid in part': { products: { pass: 1, dinner: 1 }, steps: [pay('100.00')] },
    'that is free by a code': { products: { workshop: 1 }, code: 'all', steps: [] },
    'with removed units, half refunded': { products: { dinner: 3 }, steps: [edit({ data: { '@product.dinner': 1 } })] },
    'with a fee': { products: { workshop: 1 }, steps: [edit({ fee: { amount: '30.00', currency: 'EUR' } })] },
    'written off': { products: { pass: 1 }, steps: [writeOff] },
    'paid and cancelled in part': {
      products: { pass: 1, dinner: 2 },
      code: 'save15',
      steps: [pay('943.00'), edit({ status: 'cancelled' })],
    },
    'cancelled unpaid': { products: { pass: 1, workshop: 1 }, steps: [edit({ status: 'cancelled' })] },
  }

  it.each(Object.entries(ORDERS))(
    'prints order amounts that add up, on the participant page and in the email: %s',
    async (_, { products, code, steps }) => {
      const data = code === undefined ? {} : { '@discount.code': code }
      const { participant } = await scenario.register(products, { data })
      const who = await signInVisitor(scenario.world, served, scenario.event, participant.email)
      for (const step of steps)
        await step(participant.id, (await scenario.call('get_participant', { participantId: participant.id })).order)
      const { order, participant: after } = await scenario.call('get_participant', { participantId: participant.id })
      const rows = moneyRowsIn((await who.get(mine())).html)
      const isCancelledUnpaid = after.status === 'cancelled' && [order.total, order.paid].every(({ amount }) => amount === '0.00')
      if (isCancelledUnpaid) expect(rows).toEqual([])
      else {
        expectToAddUp(rows)
        expect(rows.find(({ label }) => label === 'Total')!.amount).toBe(order.total.amount)
      }
      await inEventTransaction(scenario.world, scenario.event, async (ctx) => scheduleStatusEmail(ctx, await getParticipant(ctx, after.id)))
      expectToAddUp(await rowsOfEmailTo(participant.email))
    },
  )

  it('includes the confirmation number in the confirmation email of a flow, even if that email has no trigger', async () => {
    const emails = [
      { code: 'plain', name: 'Plain', trigger: 'none', subject: 'Hello', blocks: [{ id: 'hello', type: 'heading', text: 'Hello' }] },
    ]
    await scenario.publish({ emails, flows: [{ ...SECTIONS.flows[0]!, confirmationEmail: 'plain' }] })
    const { participant } = await scenario.register({ pass: 1 }, { sendConfirmation: true })
    const { rows } = await scenario.world.database.pool.query<{ email_code: string; text_body: string }>(
      `select email_code, text_body from messages where to_address = $1`,
      [participant.email],
    )
    expect(rows).toMatchObject([{ email_code: 'plain', text_body: expect.stringContaining(participant.confirmationNumber) }])
    expect(rows[0]!.text_body).toContain('/registration')
  })

  it('shows only that everything was cancelled if an unpaid order has no amounts left', async () => {
    const { participant } = await scenario.register({ pass: 1, workshop: 1 })
    const who = await signInVisitor(scenario.world, served, scenario.event, participant.email)
    await scenario.call('edit_participant', { participantId: participant.id, status: 'cancelled' })
    const page = await who.get(mine())
    expect(page.text).toContain('Everything in this order was cancelled.')
    expect(moneyRowsIn(page.html)).toEqual([])
  })
})
