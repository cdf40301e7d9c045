import ExcelJS from 'exceljs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toMinorUnits } from '../../src/kernel/money.ts'
import { openPaymentScenario } from '../support/payment-scenario.ts'
import { readPdfText } from '../support/pdf-text.ts'
import { openSalesScenario, type SalesScenario, WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { readFieldValue, type VisitedPage } from '../support/visitor.ts'
import { ConsoleBrowser } from './console-browser.ts'

let scenario: SalesScenario
let served: Served
let olga: ConsoleBrowser
let base: string

const enter = (person: { userId: string }) => new ConsoleBrowser(served).enter(scenario.world, person)
const named = (firstName: string, lastName: string) => ({
  data: { '@participant.firstName': firstName, '@participant.lastName': lastName },
})
const moneyOf = ({ participant }: { participant: { id: string } }) => `${base}/participants/${participant.id}/money`
const orderOf = async ({ participant }: { participant: { id: string } }) =>
  (await scenario.call('get_participant', { participantId: participant.id, includeTestData: true })).order

beforeAll(async () => {
  scenario = await openSalesScenario(WORKED_EXAMPLE, { baseUrl: await chooseFreeBaseUrl() })
  served = await serve(scenario.world)
  olga = await enter(scenario.olga)
  base = `/console/events/${scenario.event.clientCode}/${scenario.event.eventCode}`
})
afterAll(() => scenario.world.end())

type Fields = Record<string, string>

/**
 * Fills in a payment action's form and submits it for a check, as a browser would: fields of the page that are not filled in keep their
 * values.
 */
const check = (browser: ConsoleBrowser, path: string, act: string, fields: Fields) =>
  browser.submit(path, path, { act, do: 'check', ...withAct(act, fields) })

const withAct = (act: string, fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [`${act}-${name}`, value]))

/** The form on the page of a check, as its button submits it. */
const confirmation = (page: VisitedPage, act: string, fields: Fields): Fields => ({
  act,
  do: 'confirm',
  ...withAct(act, fields),
  ...Object.fromEntries(
    ['key', 'checked', 'call', 'confirmToken'].flatMap((name) => {
      const value = readFieldValue(page.html, name)
      return value === undefined ? [] : [[name, value]]
    }),
  ),
})

/** Checks and confirms a payment action. */
async function perform(browser: ConsoleBrowser, path: string, act: string, fields: Fields): Promise<VisitedPage> {
  const checked = await check(browser, path, act, fields)
  expect([act, checked.status, checked.text.includes('What will happen')]).toEqual([act, 200, true])
  return browser.submit(path, path, confirmation(checked, act, fields))
}

const BANK = { date: '2026-04-10', method: 'bank' }

describe('payments of a participant in the console', () => {
  it('shows the result of a payment before it is recorded, and records it once however often the form is sent', async () => {
    const paula = await scenario.register({ pass: 1 }, named('Paula', 'Zimmer'))
    const path = moneyOf(paula)
    const page = await olga.get(path)
    expect(page.text).toContain('900.00 EUR open')
    expect(readFieldValue(page.html, 'payment-amount')).toBe('900.00')
    const fields = { ...BANK, amount: '600.00', reference: 'SEPA 1' }
    const checked = await check(olga, path, 'payment', fields)
    expect(checked.text).toContain(`${paula.invoice.number}: 600.00 paid, 300.00 stay open.`)
    expect(checked.text).toContain('Record 600.00 EUR')
    expect((await orderOf(paula)).payments).toEqual([])
    const form = confirmation(checked, 'payment', fields)
    const answers = await Promise.all(Array.from({ length: 4 }, () => olga.submit(path, path, form)))
    const [{ receiptNumber }] = (await orderOf(paula)).payments
    expect(answers.map(({ status, location }) => [status, location])).toEqual(answers.map(() => [303, `${path}?receipt=${receiptNumber}`]))
    expect((await orderOf(paula)).payments).toHaveLength(1)
    const after = await olga.get(answers[0]!.location!)
    expect(after.text).toContain(`600.00 EUR recorded. Receipt ${receiptNumber} was issued.`)
    expect(after.text).toContain('300.00 EUR open')
  })

  it('shows the payment check again if another browser tab recorded a payment meanwhile, and records no second one', async () => {
    const paula = await scenario.register({ pass: 1 }, named('Tabea', 'Zwei'))
    const path = moneyOf(paula)
    const [first, second] = [
      { ...BANK, method: 'cash', amount: '500.00' },
      { ...BANK, method: 'cash', amount: '400.00' },
    ]
    const [one, two] = [await check(olga, path, 'payment', first), await check(olga, path, 'payment', second)]
    expect((await olga.submit(path, path, confirmation(one, 'payment', first))).status).toBe(303)
    const stale = await olga.submit(path, path, confirmation(two, 'payment', second))
    expect([stale.status, stale.text.includes('something changed since your check')]).toEqual([200, true])
    expect(stale.text).toContain('400.00 paid, 0.00 open. The order is paid in full.')
    expect((await orderOf(paula)).payments).toHaveLength(1)
    // The same payment from both tabs is refused as a duplicate.
    const again = await check(olga, path, 'payment', { ...first, amount: '500.00' })
    expect([again.status, again.text.includes('This payment is already recorded.')]).toEqual([400, true])
    // A field that was changed after the check is checked again, not saved.
    const changed = await olga.submit(path, path, confirmation(stale, 'payment', { ...second, amount: '100.00' }))
    expect([changed.status, changed.text.includes('Record 100.00 EUR')]).toEqual([200, true])
    expect((await orderOf(paula)).payments).toHaveLength(1)
    await olga.submit(path, path, confirmation(stale, 'payment', second))
    const { text } = await olga.get(path)
    expect(text).toContain('Paid −900.00')
    expect(text).not.toContain('Open 0.00')
  })

  it('explains an invalid payment at its form field', async () => {
    const paula = await scenario.register({ pass: 1 }, named('Erika', 'Fehler'))
    const path = moneyOf(paula)
    const messageFor = async (act: string, fields: Fields, field: string) => {
      const page = await check(olga, path, act, fields)
      return [page.status, new RegExp(`id="${act}-${field}-error">([^<]*)<`).exec(page.html)?.[1]]
    }
    expect(await messageFor('payment', { ...BANK, amount: '10' }, 'reference')).toEqual([400, 'Enter the bank reference.'])
    expect(await messageFor('payment', { ...BANK, method: 'cheque', amount: '10' }, 'reference')).toEqual([
      400,
      'Enter the number of the cheque.',
    ])
    expect(await messageFor('payment', { ...BANK, method: 'cash', amount: '' }, 'amount')).toEqual([400, 'Enter the amount.'])
    expect(await messageFor('payment', { date: '2026-04-11', method: 'cash', amount: '1' }, 'date')).toEqual([
      400,
      'Enter a day that is not in the future.',
    ])
    expect(await messageFor('payment', { ...BANK, method: 'cash', amount: '900.01' }, 'amount')).toEqual([
      400,
      '900.00 EUR is open. Enter that or less.',
    ])
    expect((await messageFor('payment', { ...BANK, method: 'cash', amount: '1.234' }, 'amount'))[1]).toContain('more decimals')
    expect(await messageFor('write-off', { reason: '' }, 'reason')).toEqual([400, 'Enter the reason.'])
    expect((await orderOf(paula)).payments).toEqual([])
  })

  it('credits a product, refunds part of the credit, reverses a bounced cheque and writes off the unpaid amount', async () => {
    const paula = await scenario.register({ pass: 1, workshop: 1 }, named('Wanda', 'Ganz'))
    const path = moneyOf(paula)
    const before = await orderOf(paula)
    const total = before.balance.amount
    await perform(olga, path, 'payment', { ...BANK, method: 'cheque', reference: 'No. 17', amount: total })
    const page = await olga.get(path)
    const product = `${paula.participant.id}/workshop`
    expect(page.html).toContain(`value="${product}"`)
    const credited = await perform(olga, path, 'credit', { product, units: '1', how: 'full', reason: 'Session moved' })
    const note = /note=(CN-[\d-]+)/.exec(credited.location!)![1]!
    const held = await orderOf(paula)
    const credit = Number(held.unapplied.amount) * -1
    expect(credit).toBeGreaterThan(0)
    expect((await olga.get(path)).text).toContain(`Credit note ${note} , Session moved`)

    const tooMuch = await check(olga, path, 'refund', { amount: String(credit + 1), method: 'bank', reference: 'R 1' })
    expect([tooMuch.status, tooMuch.text.includes('Nothing was refunded.'), tooMuch.text.includes('The credit is')]).toEqual([
      400,
      true,
      true,
    ])
    const refunded = await perform(olga, path, 'refund', { amount: '20.00', method: 'bank', reference: 'R 1' })
    expect(refunded.location).toMatch(/receipt=RC-/)
    expect(Number((await orderOf(paula)).unapplied.amount)).toBe(20 - credit)

    const [{ id: payment, amount }] = (await orderOf(paula)).payments
    const reversal = { payment, amount: amount.amount, note: 'Cheque bounced' }
    await perform(olga, path, 'reversal', reversal)
    const owing = await olga.get(path)
    expect(owing.text).toContain('open')
    const written = await perform(olga, path, 'write-off', { invoice: '', reason: 'Agreed with the board' })
    expect(written.location).toBe(`${path}?done=written-off`)
    const settled = await orderOf(paula)
    expect(settled.invoices.filter(({ balance }: any) => Number(balance.amount) > 0)).toEqual([])
    const done = await olga.get(written.location!)
    for (const words of ['Written off', 'Agreed with the board', 'Cheque bounced', 'Refunded by bank transfer', 'Payment reversed'])
      expect(done.text).toContain(words)
    // Every document link of the page opens a document of its kind.
    const links = [...new Set([...done.html.matchAll(/href="([^"]*\/money\/documents\/[^"]+)"/g)].map(([, link]) => link!))]
    expect(links).toHaveLength(settled.invoices.length + 3)
    for (const link of links) {
      const pdf = await olga.get(link)
      expect([link, pdf.status, pdf.headers.get('content-type')]).toEqual([link, 200, 'application/pdf'])
    }
  })

  it('responds to a repeated write-off or credit with the result of the first one', async () => {
    const paula = await scenario.register({ pass: 1, workshop: 1 }, named('Zweimal', 'Gleich'))
    const path = moneyOf(paula)
    const credit = { product: `${paula.participant.id}/workshop`, units: '1', how: 'full', reason: 'Moved' }
    const form = confirmation(await check(olga, path, 'credit', credit), 'credit', credit)
    const twice = [await olga.submit(path, path, form), await olga.submit(path, path, form)]
    expect(twice.map(({ status }) => status)).toEqual([303, 303])
    expect(twice[0]!.location).toBe(twice[1]!.location)
    expect((await orderOf(paula)).invoices.filter(({ kind }: any) => kind === 'credit_note')).toHaveLength(1)
    const off = { invoice: '', reason: 'Gone' }
    const offForm = confirmation(await check(olga, path, 'write-off', off), 'write-off', off)
    const offTwice = [await olga.submit(path, path, offForm), await olga.submit(path, path, offForm)]
    expect(offTwice.map(({ status, location }) => [status, location])).toEqual(offTwice.map(() => [303, `${path}?done=written-off`]))
    // A payment of a written-off invoice reverses the write-off by its amount.
    const paid = await check(olga, path, 'payment', { ...BANK, method: 'cash', amount: '100' })
    expect(paid.text).toContain('100.00 paid')
  })

  it('records a second payment with the same reference only on request', async () => {
    const paula = await scenario.register({ pass: 1 }, named('Ulla', 'Über'))
    const path = moneyOf(paula)
    const fields = { ...BANK, reference: 'SEPA 9', amount: '450.00' }
    await perform(olga, path, 'payment', fields)
    const refused = await check(olga, path, 'payment', fields)
    expect(refused.html).toContain('name="payment-twice"')
    await perform(olga, path, 'payment', { ...fields, twice: 'on' })
    expect((await orderOf(paula)).payments).toHaveLength(2)
  })
})

const minor = (money: { amount: string; currency: string }) => toMinorUnits(money.amount, money.currency)
const figure = (page: VisitedPage, id: string) =>
  new RegExp(`id="${id}"[\\s\\S]*?<strong><a[^>]*>([^<]*)</a>`).exec(page.html)![1]!.replaceAll(',', '')

describe('Money page', () => {
  it('shows the same figures on the Money page as the tools', async () => {
    // Overdue invoices of every age.
    const { world } = scenario
    await world.clock.stopAt('2026-07-25T10:00:00Z')
    await world.renewTokens()
    olga = await enter(scenario.olga)
    await scenario.register({ dinner: 1 }, named('Neu', 'Offen'))
    const page = await olga.get(`${base}/money`)
    const all = await scenario.call('list_order_invoices', { status: ['open'] })
    const { money } = await scenario.call('get_registration_summary')
    expect(figure(page, 'figure-open')).toBe(all.totals.balance.amount)
    expect(figure(page, 'figure-open')).toBe(money.owed.amount)
    const overdue = await scenario.call('list_order_invoices', { overdueOnly: true })
    expect(figure(page, 'figure-overdue')).toBe(overdue.totals.balance.amount)
    expect(minor({ amount: figure(page, 'figure-received'), currency: 'EUR' })).toBe(
      minor(money.paid) - minor(money.refunded) - minor(money.reversed),
    )
    expect(page.text).toContain(`of ${Number(money.invoiced.amount).toLocaleString('en-GB', { minimumFractionDigits: 2 })} invoiced`)
    const ages = { d1to30: '1 to 30 days', d31to60: '31 to 60 days', d61to90: '61 to 90 days', over90: 'Over 90 days' }
    for (const [age, label] of Object.entries(ages)) {
      const shown = new RegExp(`>${label}[^<]*</a><span class="v">([^<]*)<`).exec(page.html)![1]!.replaceAll(',', '')
      expect([age, shown]).toEqual([age, overdue.totals.aging[age].amount])
      const list = await olga.get(`${base}/money/invoices?age=${age}`)
      expect([age, list.text.includes(`${overdue.totals.aging[age].amount.replace(/\B(?=(\d{3})+\.)/g, ',')} EUR open`)]).toEqual([
        age,
        true,
      ])
    }
  })

  it('searches, filters and pages payments, and links each payment to its person and documents', async () => {
    const all = await olga.get(`${base}/money`)
    expect(all.text).toMatch(/\d+ records, newest first/)
    const rows = (page: VisitedPage) => [...page.html.matchAll(/money\/documents\/(RC-\d+)\.pdf/g)].map(([, number]) => number)
    const found = async (query: string) => rows(await olga.get(`${base}/money?${query}`))
    expect((await found('search=zimmer')).length).toBe(1)
    const [receipt] = await found('search=zimmer')
    expect(await found(`search=${receipt}`)).toEqual([receipt])
    expect(await found('search=sepa+1')).toEqual([receipt])
    expect(await found('search=nothing-like-this')).toEqual([])
    expect((await found('kind=refund')).length).toBe(1)
    expect((await found('method=cheque')).length).toBe(2)
    expect((await found('period=7')).length).toBe(0)
    expect((await found('search=%25')).length).toBe(0)
    expect((await olga.get(`${base}/money?cursor=x`)).status).toBe(400)
    // Without personal.read, references are neither shown nor searched, and documents are not linked.
    const analyst = await enter(await scenario.world.organizer({ at: scenario.event, role: 'analyst' }))
    const seen = await analyst.get(`${base}/money`)
    expect([seen.status, seen.html.includes('SEPA 1'), seen.html.includes('/money/documents/')]).toEqual([200, false, false])
    expect((await analyst.get(`${base}/money?search=sepa+1`)).text).toContain('No payments found')
  })

  it('exports payments and open invoices, but payment references only with permission to export personal data', async () => {
    const answer = await olga.submit(`${base}/money`, `${base}/money/export`, { contents: 'movements', search: 'zimmer' })
    expect(answer.headers.get('content-disposition')).toContain('payments-')
    const [head, line, end] = answer.html.replace(/^\uFEFF/, '').split('\r\n')
    expect(head).toBe('Date,Kind,Receipt,Payer,Organisation,Orders,Invoices,Method,Reference,Amount,Amount (currency)')
    expect(line).toMatch(/^2026-04-10,payment,RC-\d+,Paula Zimmer,,R-\d+,INV-[\d-]+,bank,SEPA 1,600\.00,EUR$/)
    expect(end).toBe('')
    const invoices = await olga.submit(`${base}/money`, `${base}/money/export`, { contents: 'invoices' })
    const open = await scenario.call('list_order_invoices', { status: ['open'] })
    expect(invoices.html.trim().split('\n')).toHaveLength(open.totals.count + 1)
    const finance = await enter(await scenario.world.organizer({ at: scenario.event, role: 'finance' }))
    const without = await finance.submit(`${base}/money`, `${base}/money/export`, { contents: 'movements', search: 'zimmer' })
    expect(without.html).toContain(',bank,,600.00,EUR')
    const { rows } = await scenario.world.database.pool.query(`select targets from audit_entries where tool = 'export_money'`)
    expect(rows).toHaveLength(3)
  })

  it('exports payments as a spreadsheet workbook whose amounts are numbers', async () => {
    const page = await olga.get(`${base}/money`)
    const body = new URLSearchParams({
      _csrf: readFieldValue(page.html, '_csrf')!,
      contents: 'movements',
      search: 'zimmer',
      format: 'xlsx',
    })
    const headers = { cookie: `lanyard-organizer=${olga.session!}`, origin: served.baseUrl }
    const answer = await fetch(served.url(`${base}/money/export`), { method: 'POST', body, headers })
    expect(answer.headers.get('content-disposition')).toMatch(/payments-[^"]*\.xlsx/)
    const book = new ExcelJS.Workbook()
    await book.xlsx.load(await answer.arrayBuffer())
    const sheet = book.getWorksheet('Payments and refunds')!
    const cells = (row: number) => (sheet.getRow(row).values as unknown[]).slice(1)
    expect(cells(1).slice(-3)).toEqual(['Reference', 'Amount', 'Amount (currency)'])
    expect(cells(2).slice(-3)).toEqual(['SEPA 1', 600, 'EUR'])
    expect(sheet.rowCount).toBe(2)
  })

  it('creates the accounting journal as a report file, which requires the permission for reports', async () => {
    const fields = { contents: 'journal', from: '2026-04-01', until: '2026-04-30', format: 'xlsx' }
    const { location } = await olga.submit(`${base}/money`, `${base}/money/export`, fields)
    expect(location).toBe(`${base}/reports?done=run-started`)
    const { rows } = await scenario.world.database.pool.query('select report_code, format, parameters from report_runs')
    expect(rows).toMatchObject([
      { report_code: 'accounting-ledger', format: 'xlsx', parameters: { from: '2026-04-01', until: '2026-04-30' } },
    ])
    const doorStaff = await enter(await scenario.world.organizer({ at: scenario.event, role: 'onsite' }))
    expect((await doorStaff.get(`${base}/money`)).text).not.toContain('Accounting journal')
    expect((await doorStaff.submit(`${base}/money`, `${base}/money/export`, fields)).status).toBe(403)
  })
})

describe('recording a payment of several invoices', () => {
  it('pays the invoices in the given order, shows the amount of each payer, and records the payment once', async () => {
    const [one, two] = [
      await scenario.register({ pass: 1 }, named('Rita', 'Eins')),
      await scenario.register({ pass: 1 }, named('Rolf', 'Zwei')),
    ]
    const path = `${base}/money/record`
    const fields = {
      date: '2026-07-25',
      method: 'bank',
      reference: 'SEPA 88',
      amount: '1,000.00',
      invoices: `${one.invoice.number.toLowerCase()}, ${two.invoice.number}`,
    }
    const checked = await check(olga, path, 'payment', fields)
    expect(checked.text).toContain(`${one.invoice.number} , Rita Eins : ${Number(one.invoice.total.amount).toFixed(2)} paid, 0.00 open.`)
    expect(checked.text).toContain('stay open.')
    const form = confirmation(checked, 'payment', fields)
    const answers = [await olga.submit(path, path, form), await olga.submit(path, path, form)]
    expect(answers.map(({ status }) => status)).toEqual([303, 303])
    expect(answers[0]!.location).toBe(answers[1]!.location)
    const payments = [...(await orderOf(one)).payments, ...(await orderOf(two)).payments]
    expect(new Set(payments.map(({ receiptNumber }: any) => receiptNumber)).size).toBe(1)
    const receipt = payments[0].receiptNumber
    const page = await olga.get(`${base}/money?search=${receipt}`)
    expect(page.text).toContain('2 invoices')
    const pdf = readPdfText(Buffer.from(await (await fetchPdf(`${base}/money/documents/${receipt}.pdf`)).arrayBuffer()))
    for (const words of ['Receipt', receipt, one.invoice.number, two.invoice.number, 'SEPA 88', '1,000.00']) expect(pdf).toContain(words)
    const unknown = await check(olga, path, 'payment', { ...fields, invoices: 'INV-2026-999999' })
    expect([unknown.status, unknown.text.includes('No invoice INV-2026-999999')]).toEqual([400, true])
    const mixed = await check(olga, path, 'payment', { ...fields, invoices: 'R-000001, INV-2026-000001' })
    expect(mixed.text).toContain('Enter invoice numbers, or one order number, not both.')
  })
})

const fetchPdf = (path: string) => fetch(served.url(path), { headers: { cookie: `lanyard-organizer=${olga.session}` } })

describe('access to money pages', () => {
  it('shows payments of test data separately from real payments', async () => {
    await scenario.call('create_test_registrations', { count: 2, flowSlug: WORKED_EXAMPLE.flows[0]!.slug })
    const page = await olga.get(`${base}/money`)
    expect(page.text).toContain('Show test data')
    const open = (await scenario.call('list_order_invoices', { status: ['open'] })).totals
    expect(figure(page, 'figure-open')).toBe(open.balance.amount)
    const test = await olga.get(`${base}/money?test=yes`)
    expect([test.status, test.text.includes('Test data')]).toEqual([200, true])
    expect(figure(test, 'figure-open')).not.toBe(open.balance.amount)
  })

  it('offers payment actions only to users who may use them', async () => {
    const paula = await scenario.register({ pass: 1 }, named('Rolle', 'Prüfen'))
    const path = moneyOf(paula)
    const acts = async (role: 'finance' | 'registrar' | 'analyst' | 'onsite') => {
      const browser = await enter(await scenario.world.organizer({ at: scenario.event, role }))
      const page = await browser.get(path)
      const posted = await browser.submit(path, path, { act: 'payment', do: 'check', ...withAct('payment', { ...BANK, amount: '1' }) })
      return [[...page.html.matchAll(/id="act-([a-z-]+)"/g)].map(([, act]) => act).join(' '), posted.status]
    }
    expect(await acts('registrar')).toEqual(['payment refund credit write-off', 400])
    expect(await acts('finance')).toEqual(['payment refund write-off', 400])
    expect(await acts('analyst')).toEqual(['', 403])
    expect(await acts('onsite')).toEqual(['', 403])
  })
})

describe.each([
  ['JPY', '900', '1,200'],
  ['KWD', '900.000', '1,200.500'],
])('Money page of an event in %s', (currency, initial, typed) => {
  it('uses the decimals of the currency, and shows an empty Money page before the first invoice', async () => {
    const other = await openSalesScenario(
      {
        ...WORKED_EXAMPLE,
        products: [{ code: 'pass', name: 'Pass', category: 'admission', prices: [{ amount: initial === '900' ? '1500' : '1500.000' }] }],
        taxes: [],
        discounts: [],
        flows: WORKED_EXAMPLE.flows.map((flow) => ({
          ...flow,
          pages: flow.pages.map((page) => ({
            ...page,
            widgets: page.widgets.map((widget) => ('products' in widget ? { ...widget, products: ['pass'] } : widget)),
          })),
        })),
      },
      { baseUrl: await chooseFreeBaseUrl(), currency },
    )
    try {
      const server = await serve(other.world)
      const browser = await new ConsoleBrowser(server).enter(other.world, other.olga)
      const at = `/console/events/${other.event.clientCode}/${other.event.eventCode}`
      expect((await browser.get(`${at}/money`)).text).toContain('No invoices yet')
      const { participant } = await other.register({ pass: 1 })
      const path = `${at}/participants/${participant.id}/money`
      const page = await browser.get(path)
      expect(readFieldValue(page.html, 'payment-amount')).toBe(currency === 'JPY' ? '1,500' : '1,500.000')
      const fields = { date: '2026-04-10', method: 'cash', amount: typed }
      expect((await perform(browser, path, 'payment', fields)).status).toBe(303)
      expect((await browser.get(`${at}/money`)).text).toContain(`${typed} `)
    } finally {
      await other.world.end()
    }
  })
})

describe('refund to a card in the console', () => {
  it('sends a card refund to the processor once, however often the form is sent', async () => {
    const checkout = await openPaymentScenario(WORKED_EXAMPLE, { baseUrl: await chooseFreeBaseUrl() })
    try {
      const { sales } = checkout
      const { participantId, chargeId } = await checkout.openPaymentPage({ pass: 1 })
      checkout.stripe.pay(chargeId)
      await checkout.returnFromPayment(chargeId)
      await sales.call('edit_participant', { participantId, status: 'cancelled', credit: 'full' })
      const browser = await new ConsoleBrowser(await serve(sales.world, { extras: { cards: sales.world.services.cards } })).enter(
        sales.world,
        sales.olga,
      )
      const path = `/console/events/${sales.event.clientCode}/${sales.event.eventCode}/participants/${participantId}/money`
      expect((await browser.get(path)).text).toContain('Original card, up to 900.00')
      const fields = { amount: '700.00', method: 'original' }
      const checked = await check(browser, path, 'refund', fields)
      expect(checked.text).toContain('700.00 go back to the card that was charged.')
      expect(checked.text).toContain('Credit on this order: 900.00 now, 200.00 after.')
      const other = await check(browser, path, 'refund', fields)
      const form = confirmation(checked, 'refund', fields)
      const answers = await Promise.all([browser.submit(path, path, form), browser.submit(path, path, form)])
      expect(answers.map(({ status }) => status)).toEqual([303, 303])
      // The other tab showed a credit of 900.00, of which 200.00 is left.
      const late = await browser.submit(path, path, confirmation(other, 'refund', fields))
      expect([late.status, late.text.includes('The credit is 200.00 EUR.')]).toEqual([400, true])
      await checkout.runDueCalls()
      expect(checkout.stripe.refunds.map(({ amount }) => amount)).toEqual([70_000])
      await checkout.mustAddUp()
    } finally {
      await checkout.end()
    }
  })
})
