import { describe, expect, it } from 'vitest'
import { type EventLedger, openEventLedger } from '../../../../test/support/event-ledger.ts'
import { openSalesScenario, useSalesScenario } from '../../../../test/support/sales-scenario.ts'

const scenario = useSalesScenario()
const euros = (amount: string) => ({ amount, currency: 'EUR' })
const books = (): EventLedger => openEventLedger(scenario.world, scenario.event)
const list = (args: object = {}) => scenario.call('list_order_invoices', args as Record<string, unknown>)
const issued = (day: string, paymentTermsDays = 30) => ({ at: new Date(`${day}T12:00:00Z`), paymentTermsDays })

describe('list_order_invoices', () => {
  it('returns invoices with lines, ledger entries and billing address', async () => {
    const added = await scenario.register({ pass: 1, workshop: 1, dinner: 2 }, { data: { '@discount.code': 'SAVE15' } })
    const orderNumber = added.order.number
    await scenario.call('record_manual_payment', { kind: 'payment', method: 'cash', orderNumber, amount: euros('600.00') })
    const { invoices, totals } = await list({ orderNumber, include: ['lines', 'entries', 'pdfUrl'] })
    expect(invoices).toHaveLength(1)
    expect(invoices[0]).toMatchObject({
      number: added.invoice.number,
      kind: 'invoice',
      orderNumber,
      issuedAt: '2026-04-10T10:00:00.000Z',
      dueOn: '2026-05-10',
      net: euros('926.81'),
      tax: euros('169.18'),
      total: euros('1095.99'),
      paid: euros('600.00'),
      credited: euros('0.00'),
      writtenOff: euros('0.00'),
      balance: euros('495.99'),
      status: 'open',
      daysOverdue: 0,
    })
    expect(invoices[0].pdfUrl).toMatch(/^http:\/\/localhost:3000\/invoices\/[\w.-]+\.pdf$/)
    expect(invoices[0].lines.map((line: { total: object }) => line.total)).toEqual([euros('765.00'), euros('152.99'), euros('178.00')])
    expect(invoices[0].entries.map(({ kind, amount }: { kind: string; amount: object }) => [kind, amount])).toEqual([
      ['invoice', euros('1095.99')],
      ['payment', euros('-600.00')],
    ])
    expect(totals).toMatchObject({ count: 1, total: euros('1095.99'), balance: euros('495.99') })
    const plain = (await list({ orderNumber })).invoices[0]
    for (const part of ['lines', 'entries', 'pdfUrl']) expect(plain).not.toHaveProperty(part)
    expect((await list({ participantId: added.participant.id })).invoices).toHaveLength(1)
    expect((await list({ invoiceNumber: added.invoice.number.toLowerCase() })).totals.count).toBe(1)
  })

  it('returns invoice totals that match the sum over all pages, and amounts by invoice age that match the balance', async () => {
    const days = ['2026-03-20', '2026-03-11', '2026-03-10', '2026-02-09', '2026-02-08', '2026-01-10', '2026-01-09', '2025-12-01']
    for (const [index, day] of days.entries()) {
      const order = await books().open()
      await books().sell(order.id, [[10 ** (index % 5) * 3, 0]], issued(day, 0))
    }
    const all = await list({ limit: 100 })
    let [cursor, sum, count]: [string | null, number, number] = [null, 0, 0]
    do {
      const page = await list({ limit: 3, ...(cursor ? { cursor } : {}) })
      count += page.invoices.length
      for (const { balance } of page.invoices) sum += Math.round(Number(balance.amount) * 100)
      expect(page.totals).toEqual(all.totals)
      cursor = page.nextCursor
    } while (cursor)
    const minor = ({ amount }: { amount: string }) => Math.round(Number(amount) * 100)
    expect(count).toBe(all.totals.count)
    expect(sum).toBe(minor(all.totals.balance))
    expect(Object.values<{ amount: string }>(all.totals.aging).reduce((total, amount) => total + minor(amount), 0)).toBe(sum)
    expect(await scenario.queryNumber('select coalesce(sum(balance), 0)::int as figure from invoices where not is_test_data')).toBe(sum)
    // On 10 April the invoices are 21, 30, 31, 60, 61, 90, 91 and 130 days overdue.
    expect(all.totals.aging).toMatchObject({
      d1to30: euros('0.33'),
      d31to60: euros('33.00'),
      d61to90: euros('300.03'),
      over90: euros('3.30'),
    })
    const overdue = await list({ overdueOnly: true, limit: 100 })
    expect(overdue.invoices.map(({ daysOverdue }: { daysOverdue: number }) => daysOverdue)).toEqual([21, 30, 31, 60, 61, 90, 91, 130])
  })

  it('subtracts credit notes from the invoiced total', async () => {
    const order = await books().open()
    const invoice = await books().sell(order.id, [[100_00, 20_00]])
    const note = await books().credit(order.id, 0, { net: 50_00, tax: 10_00 })
    const found = await list({ orderNumber: order.number })
    expect(found.totals).toMatchObject({ count: 2, total: euros('60.00'), balance: euros('60.00') })
    expect(found.invoices.map(({ number }: { number: string }) => number)).toEqual([note!.number, invoice!.number])
    expect((await list({ orderNumber: order.number, kind: 'credit_note' })).invoices).toMatchObject([
      { number: note!.number, total: euros('60.00'), balance: euros('0.00') },
    ])
    expect((await list({ orderNumber: order.number, status: ['void', 'written_off'] })).totals.count).toBe(0)
  })

  it('finds invoices by number, by billed party and by participant', async () => {
    const added = await scenario.register(
      { pass: 1 },
      { data: { '@participant.lastName': 'Žižková', '@participant.company': 'Brno Works' } },
    )
    const numbers = async (search: string) => (await list({ search })).invoices.map(({ number }: { number: string }) => number) as string[]
    expect(await numbers('zizkova')).toEqual([added.invoice.number])
    expect(await numbers('brno žiž')).toEqual([added.invoice.number])
    expect(await numbers(added.invoice.number)).toEqual([added.invoice.number])
    expect(await numbers(added.order.number.toLowerCase())).toEqual([added.invoice.number])
    expect(await numbers('absent of that name')).toEqual([])
  })

  it("filters invoices by issue day in the event's time zone, both days inclusive", async () => {
    const order = await books().open()
    await books().sell(order.id, [[1_00, 0]], { at: new Date('2025-06-30T22:30:00Z') })
    const between = async (issuedFrom: string, issuedUntil: string) =>
      (await list({ orderNumber: order.number, issuedFrom, issuedUntil })).totals.count
    expect(await between('2025-06-30', '2025-06-30')).toBe(0)
    expect(await between('2025-07-01', '2025-07-01')).toBe(1)
    const refusal = await scenario.refused('list_order_invoices', { issuedFrom: '2025-07-02', issuedUntil: '2025-07-01' })
    expect(refusal).toMatchObject({ code: 'invalid_arguments', fields: [{ path: 'issuedFrom' }] })
  })

  it('rejects unknown invoice numbers and group codes', async () => {
    expect(await scenario.refused('list_order_invoices', { orderNumber: 'R-999999' })).toMatchObject({ code: 'not_found' })
    expect(await scenario.refused('list_order_invoices', { invoiceNumber: 'INV-2026-999999' })).toMatchObject({ code: 'not_found' })
    expect(await scenario.refused('list_order_invoices', { groupCode: 'absent' })).toMatchObject({ code: 'not_found' })
  })

  it('shows tax IDs and addresses only with permission to read personal data', async () => {
    const order = await books().open()
    await books().sell(order.id, [[1_00, 0]])
    const marta = await scenario.world.organizer({ at: scenario.event, role: 'marketer' })
    const seen = async (who: typeof marta) =>
      (await who.call('list_order_invoices', { eventCode: scenario.event.eventCode, orderNumber: order.number })).invoices[0].billTo
    expect(await seen(scenario.olga)).toMatchObject({ city: 'Lyon', country: 'FR', taxId: 'FR123' })
    const hers = await seen(marta)
    expect(Object.keys(hers).toSorted()).toEqual(['country', 'email', 'name'])
  })

  it('omits invoices of test data unless their order is named', async () => {
    const order = await books().open({ isTestData: true })
    await books().sell(order.id, [[1_00, 0]])
    const all = await list({ limit: 100 })
    expect(all.invoices.some(({ number }: { number: string }) => number.startsWith('T-'))).toBe(false)
    expect((await list({ orderNumber: order.number })).invoices).toHaveLength(1)
  })
})

describe('invoice numbers', () => {
  it('assigns invoice numbers without gaps even if calls in between are rejected or rolled back', async () => {
    const fresh = await openSalesScenario()
    try {
      const first = await fresh.register({ pass: 1 })
      await fresh.refused('add_participant', { flowSlug: 'attendee', data: { '@product.pass': 1 } })
      await fresh.call('record_manual_payment', {
        kind: 'payment',
        method: 'cash',
        orderNumber: first.order.number,
        amount: euros('10.00'),
        dryRun: true,
      })
      const second = await fresh.register({ pass: 1 })
      expect([first.invoice.number, second.invoice.number]).toEqual(['INV-2026-000001', 'INV-2026-000002'])
      expect(await openEventLedger(fresh.world, fresh.event).violations()).toEqual({})
    } finally {
      await fresh.world.end()
    }
  })
})
