import { afterEach, describe, expect, it } from 'vitest'
import { type EventLedger, openEventLedger } from '../../../../test/support/event-ledger.ts'
import { useSalesScenario } from '../../../../test/support/sales-scenario.ts'

const scenario = useSalesScenario()
const euros = (amount: string) => ({ amount, currency: 'EUR' })
const books = (): EventLedger => openEventLedger(scenario.world, scenario.event)
const pay = (args: object) => scenario.call('record_manual_payment', { kind: 'payment', method: 'cash', ...args })
const refusedPay = (args: object) => scenario.refused('record_manual_payment', { kind: 'payment', method: 'cash', ...args })
const listed = async (invoiceNumber: string) => (await scenario.call('list_order_invoices', { invoiceNumber })).invoices[0]

/** A participant who owes the 1,095.99 of the specification's example. */
const worked = async () => {
  const { order, invoice } = await scenario.register({ pass: 1, workshop: 1, dinner: 2 }, { data: { '@discount.code': 'SAVE15' } })
  return { orderNumber: order.number as string, invoiceNumber: invoice.number as string }
}

// The books must balance after every test.
afterEach(() => books().assertInvariants())

describe('record_manual_payment: payments', () => {
  it('leaves 495.99 unpaid after 600.00 on 1,095.99, and rejects the same payment again with the receipt number', async () => {
    const { invoiceNumber } = await worked()
    const transfer = { invoiceNumbers: [invoiceNumber], method: 'bank', reference: 'TR-77', amount: euros('600.00') }
    const paid = await pay(transfer)
    expect(paid).toMatchObject({
      allocations: [{ invoiceNumber, amount: euros('600.00'), balanceAfter: euros('495.99') }],
      unapplied: euros('0.00'),
      order: { balance: euros('495.99'), status: 'open' },
    })
    expect(paid.receiptNumber).toMatch(/^RC-\d{6}$/)
    const again = await refusedPay(transfer)
    expect(again.code).toBe('conflict')
    expect(again.message).toContain(paid.receiptNumber)
    expect(await listed(invoiceNumber)).toMatchObject({ paid: euros('600.00'), balance: euros('495.99'), status: 'open' })
    expect(await pay({ ...transfer, reference: 'TR-78', amount: euros('495.99') })).toMatchObject({
      order: { balance: euros('0.00'), status: 'paid' },
    })
  })

  it('records an identical payment again only with allowDuplicate or after the first one is reversed', async () => {
    const { orderNumber } = await worked()
    const cheque = { orderNumber, method: 'cheque', reference: '0815', amount: euros('100.00') }
    const first = await pay(cheque)
    await pay({ ...cheque, allowDuplicate: true })
    expect((await refusedPay(cheque)).code).toBe('conflict')
    const other = await worked()
    const bounced = await pay({ ...cheque, orderNumber: other.orderNumber })
    await scenario.call('record_manual_payment', { kind: 'reversal', paymentId: bounced.payments[0].id, amount: euros('100.00') })
    expect(await pay({ ...cheque, orderNumber: other.orderNumber })).toMatchObject({ order: { balance: euros('995.99') } })
    expect(first.receiptNumber).not.toBe(bounced.receiptNumber)
  })

  it('issues one receipt for a bank transfer that pays two orders, and pays the orders in the given sequence', async () => {
    const [a, b] = [await worked(), await worked()]
    const numbers = [b.invoiceNumber, a.invoiceNumber]
    const paid = await pay({ invoiceNumbers: numbers, method: 'bank', reference: 'both', amount: euros('1500.00') })
    expect(paid.allocations).toEqual([
      { invoiceNumber: b.invoiceNumber, amount: euros('1095.99'), balanceAfter: euros('0.00') },
      { invoiceNumber: a.invoiceNumber, amount: euros('404.01'), balanceAfter: euros('691.98') },
    ])
    expect(paid.payments.map(({ orderNumber }: { orderNumber: string }) => orderNumber)).toEqual([b.orderNumber, a.orderNumber])
    expect(await scenario.queryNumber(`select count(*)::int as figure from payments where receipt_number = '${paid.receiptNumber}'`)).toBe(
      2,
    )
  })

  it('pays the oldest invoice of an order first: by due date, then by number', async () => {
    const order = await books().open()
    const later = await books().sell(order.id, [[10_00, 0]], { paymentTermsDays: 20 })
    const sooner = await books().sell(order.id, [[20_00, 0]], { paymentTermsDays: 10 })
    const last = await books().sell(order.id, [[30_00, 0]], { paymentTermsDays: 20 })
    const paid = await pay({ orderNumber: order.number, amount: euros('45.00') })
    expect(paid.allocations.map(({ invoiceNumber }: { invoiceNumber: string }) => invoiceNumber)).toEqual(
      [sooner, later, last].map((invoice) => invoice!.number),
    )
    expect(paid.order).toEqual({ balance: euros('15.00'), status: 'open' })
  })

  it('rejects a payment above the balance and returns the balance, and with allowOverpayment keeps the rest as credit', async () => {
    const order = await books().open()
    await books().sell(order.id, [[100_00, 20_00]])
    const more = { orderNumber: order.number, amount: euros('150.00') }
    const refusal = await refusedPay(more)
    expect(refusal).toMatchObject({ code: 'precondition_failed' })
    expect(refusal.message).toContain('balance is 120.00 EUR')
    expect(await pay({ ...more, allowOverpayment: true })).toMatchObject({
      unapplied: euros('-30.00'),
      order: { balance: euros('-30.00'), status: 'paid' },
    })
    const next = await books().sell(order.id, [[50_00, 0]])
    expect(await listed(next!.number)).toMatchObject({ paid: euros('30.00'), balance: euros('20.00') })
  })

  it('rejects a payment in another currency, of zero, on a void invoice or credit note, or with an invalid date', async () => {
    const { orderNumber } = await worked()
    const none = { orderNumber, amount: euros('1.00') }
    expect((await refusedPay({ ...none, amount: { amount: '1.00', currency: 'USD' } })).message).toContain('this event uses EUR')
    expect((await refusedPay({ ...none, amount: euros('0.00') })).message).toContain('must be more than 0')
    expect((await refusedPay({ ...none, amount: euros('-1.00') })).message).toContain('must be more than 0')
    expect((await refusedPay({ ...none, amount: euros('1.005') })).message).toContain('more decimals than EUR has')
    expect((await refusedPay({ ...none, receivedAt: '2026-04-10T10:00:01Z' })).message).toContain('must not be after now')
    expect((await refusedPay({ ...none, receivedAt: '2024-04-10T09:59:59Z' })).message).toContain('must not be before')
    expect(await pay({ ...none, receivedAt: '2024-04-10T10:00:00Z' })).toMatchObject({ unapplied: euros('0.00') })
    expect(await refusedPay({ ...none, orderNumber: 'R-999999' })).toMatchObject({ code: 'not_found' })
    expect((await refusedPay({ invoiceNumbers: ['INV-2026-999999'], amount: euros('1.00') })).message).toContain('INV-2026-999999')

    const order = await books().open()
    const invoice = await books().sell(order.id, [[80_00, 0]])
    const note = await books().credit(order.id, 0)
    expect(await listed(invoice!.number)).toMatchObject({ status: 'void', balance: euros('0.00'), credited: euros('80.00') })
    const onIt = { amount: euros('1.00'), allowOverpayment: true }
    expect((await refusedPay({ ...onIt, invoiceNumbers: [invoice!.number] })).message).toContain('is void')
    expect((await refusedPay({ ...onIt, invoiceNumbers: [note!.number] })).message).toContain('is a credit note')
  })

  it('reports all missing arguments of a payment together', async () => {
    const { fields } = await scenario.refused('record_manual_payment', {
      kind: 'payment',
      amount: euros('1.00'),
      paymentId: '0'.repeat(24),
    })
    expect(fields.map(({ path }: { path: string }) => path)).toEqual(['invoiceNumbers', 'paymentId', 'method'])
    const bank = await refusedPay({ orderNumber: 'R-000001', amount: euros('1.00'), method: 'bank' })
    expect(bank.fields.map(({ path }: { path: string }) => path)).toEqual(['reference'])
    const reversal = await scenario.refused('record_manual_payment', { kind: 'reversal', amount: euros('1.00') })
    expect(reversal.fields.map(({ path }: { path: string }) => path)).toEqual(['paymentId'])
  })

  it('records one payment for ten concurrent calls with one idempotency key', async () => {
    const { orderNumber } = await worked()
    const call = { orderNumber, method: 'bank', reference: 'once', amount: euros('600.00'), idempotencyKey: `once ${orderNumber}` }
    const answers = await Promise.all(Array.from({ length: 10 }, () => pay(call)))
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(await scenario.queryNumber(`select count(*)::int as figure from payments where reference = 'once'`)).toBe(1)
  })

  it('records one payment for ten identical concurrent calls without a key, and reports nine as duplicates', async () => {
    const { orderNumber } = await worked()
    const call = { kind: 'payment', orderNumber, method: 'bank', reference: `race ${orderNumber}`, amount: euros('60.00') }
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => scenario.olga.answer('record_manual_payment', { eventCode: scenario.event.eventCode, ...call })),
    )
    expect(answers.filter(({ isError }) => !isError)).toHaveLength(1)
    expect(answers.filter(({ isError }) => isError).every(({ _meta }) => _meta!['lanyard/error'].code === 'conflict')).toBe(true)
  })

  it('returns the same result in a dry run as in the real call, and uses up no receipt number', async () => {
    const { orderNumber, invoiceNumber } = await worked()
    const call = { orderNumber, amount: euros('95.99') }
    const dry = await pay({ ...call, dryRun: true })
    expect(dry).toMatchObject({ dryRun: true, effects: { changes: 1 }, allocations: [{ invoiceNumber, balanceAfter: euros('1000.00') }] })
    const paid = await pay({ ...call, confirmToken: dry.confirmToken })
    expect(paid.receiptNumber).toBe(dry.receiptNumber)
  })
})

describe('record_manual_payment: refunds', () => {
  it('refunds at most the credit of the participant', async () => {
    const order = await books().open()
    await books().sell(order.id, [[409_00, 0]])
    await pay({ orderNumber: order.number, amount: euros('409.00') })
    await books().credit(order.id, 0)
    const refund = { kind: 'refund', orderNumber: order.number, method: 'bank', reference: 'back' }
    const refusal = await scenario.refused('record_manual_payment', { ...refund, amount: euros('409.01') })
    expect(refusal.code).toBe('precondition_failed')
    expect(refusal.message).toContain('credit held is 409.00 EUR')
    expect(await scenario.call('record_manual_payment', { ...refund, amount: euros('409.00') })).toMatchObject({
      refund: { amount: euros('409.00'), method: 'bank' },
      payments: [],
      unapplied: euros('0.00'),
      order: { balance: euros('0.00'), status: 'void' },
    })
  })

  it('refunds at most the amount of the named payment', async () => {
    const order = await books().open()
    const [first] = (await pay({ orderNumber: order.number, amount: euros('30.00'), allowOverpayment: true })).payments
    await pay({ orderNumber: order.number, amount: euros('70.00'), allowOverpayment: true })
    const refund = { kind: 'refund', paymentId: first.id, method: 'cash' }
    expect((await scenario.refused('record_manual_payment', { ...refund, amount: euros('30.01') })).message).toContain(
      '30.00 EUR of this payment can still be refunded',
    )
    await scenario.call('record_manual_payment', { ...refund, amount: euros('30.00') })
    expect((await scenario.refused('record_manual_payment', { ...refund, amount: euros('0.01') })).code).toBe('precondition_failed')
    expect((await books().order(order.id)).unapplied).toBe(-70_00)
  })

  it('requires a card processor to refund to the original card', async () => {
    const order = await books().open()
    await pay({ orderNumber: order.number, amount: euros('30.00'), allowOverpayment: true })
    expect(
      await scenario.refused('record_manual_payment', {
        kind: 'refund',
        orderNumber: order.number,
        method: 'original',
        amount: euros('30.00'),
      }),
    ).toMatchObject({ code: 'unavailable', message: 'No card processor — set LANYARD_PAYMENTS_PROVIDER and STRIPE_SECRET_KEY' })
  })
})

describe('record_manual_payment: reversals', () => {
  const reverse = (paymentId: string, amount: string) => ({ kind: 'reversal', paymentId, amount: euros(amount), note: 'bounced' })

  it('reopens the invoice when a payment is reversed, also in parts, and reverses no more than was paid', async () => {
    const { invoiceNumber } = await worked()
    const [payment] = (await pay({ invoiceNumbers: [invoiceNumber], amount: euros('1095.99') })).payments
    expect(await scenario.call('record_manual_payment', reverse(payment.id, '95.99'))).toMatchObject({
      allocations: [{ invoiceNumber, amount: euros('-95.99'), balanceAfter: euros('95.99') }],
      order: { balance: euros('95.99'), status: 'open' },
    })
    const refusal = await scenario.refused('record_manual_payment', reverse(payment.id, '1000.01'))
    expect(refusal.message).toContain('which is 1000.00 EUR')
    await scenario.call('record_manual_payment', reverse(payment.id, '1000.00'))
    expect(await listed(invoiceNumber)).toMatchObject({ paid: euros('0.00'), balance: euros('1095.99'), status: 'open' })
    expect(await scenario.refused('record_manual_payment', reverse('0'.repeat(23) + '1', '1.00'))).toMatchObject({ code: 'not_found' })
  })

  it('reverses the unused credit of a payment before it reopens invoices', async () => {
    const order = await books().open()
    await books().sell(order.id, [[80_00, 0]])
    const { payments } = await pay({ orderNumber: order.number, amount: euros('100.00'), allowOverpayment: true })
    expect(payments).toHaveLength(2)
    await scenario.call('record_manual_payment', reverse(payments[1].id, '20.00'))
    expect(await books().order(order.id)).toMatchObject({ unapplied: 0, balance: 0, paid: 80_00 })
  })

  it('reopens invoices for the refunded part of a reversed payment, so that credit never becomes negative', async () => {
    const order = await books().open()
    const invoice = await books().sell(order.id, [[80_00, 0]])
    const { payments } = await pay({ orderNumber: order.number, amount: euros('100.00'), allowOverpayment: true })
    await scenario.call('record_manual_payment', { kind: 'refund', orderNumber: order.number, method: 'cash', amount: euros('20.00') })
    await scenario.call('record_manual_payment', reverse(payments[1].id, '20.00'))
    expect(await listed(invoice!.number)).toMatchObject({ paid: euros('60.00'), balance: euros('20.00') })
    await scenario.call('record_manual_payment', reverse(payments[0].id, '80.00'))
    // In the end no payment is left, and 20.00 was paid out.
    expect(await books().order(order.id)).toMatchObject({ unapplied: 0, balance: 100_00, paid: -20_00, status: 'open' })
    expect(await listed(invoice!.number)).toMatchObject({ total: euros('80.00'), paid: euros('-20.00'), balance: euros('100.00') })
    await pay({ orderNumber: order.number, amount: euros('100.00'), note: 'again' })
    expect(await listed(invoice!.number)).toMatchObject({ balance: euros('0.00'), status: 'paid' })
  })

  it('uses up credit from a credit note for an invoice that a reversed payment reopens', async () => {
    const order = await books().open()
    const invoice = await books().sell(order.id, [[100_00, 0]])
    const [payment] = (await pay({ orderNumber: order.number, amount: euros('100.00') })).payments
    await books().credit(order.id, 0)
    expect((await books().order(order.id)).unapplied).toBe(-100_00)
    await scenario.call('record_manual_payment', reverse(payment.id, '100.00'))
    expect(await books().order(order.id)).toMatchObject({ unapplied: 0, balance: 0, paid: 0, status: 'void' })
    expect(await listed(invoice!.number)).toMatchObject({ balance: euros('0.00') })
  })

  it('rejects the reversal of a refunded payment without an invoice to reopen', async () => {
    const order = await books().open()
    const [payment] = (await pay({ orderNumber: order.number, amount: euros('50.00'), allowOverpayment: true })).payments
    await scenario.call('record_manual_payment', { kind: 'refund', orderNumber: order.number, method: 'cash', amount: euros('30.00') })
    const refusal = await scenario.refused('record_manual_payment', reverse(payment.id, '50.00'))
    expect(refusal).toMatchObject({ code: 'precondition_failed' })
    expect(refusal.message).toContain('Reverse at most 20.00 EUR')
    await scenario.call('record_manual_payment', reverse(payment.id, '20.00'))
  })

  it('rejects the reversal of a payment that belongs to another order than the named one', async () => {
    const [a, b] = [await worked(), await worked()]
    const [payment] = (await pay({ orderNumber: a.orderNumber, amount: euros('10.00') })).payments
    const refusal = await scenario.refused('record_manual_payment', { ...reverse(payment.id, '10.00'), orderNumber: b.orderNumber })
    expect(refusal.message).toContain('belongs to another order')
  })
})

describe('record_manual_payment: receipts', () => {
  const mails = (kind: string) =>
    scenario.world.database.pool.query<{ to: string; body: string }>(
      `select to_address as to, text_body as body from messages where source_kind = $1 order by id`,
      [kind],
    )

  it('emails a receipt only on request, with amount and number, to the billed party', async () => {
    const { participant, order } = await scenario.register({ pass: 1 })
    const cash = { orderNumber: order.number, amount: euros('12.34') }
    expect(await pay(cash)).not.toHaveProperty('queued')
    expect((await mails('payment.received')).rows).toEqual([])
    const paid = await pay({ ...cash, allowDuplicate: true, sendReceipt: true })
    expect(paid.queued).toBe(1)
    const { rows } = await mails('payment.received')
    expect(rows.map(({ to }) => to)).toEqual([participant.email])
    expect(rows[0]!.body).toContain(paid.receiptNumber)
    expect(rows[0]!.body).toContain('12.34')
    expect((await pay({ ...cash, allowDuplicate: true, sendReceipt: true, dryRun: true })).effects).toMatchObject({ recipients: 1 })
    expect((await mails('payment.received')).rows).toHaveLength(1)
  })

  it('emails receipts for refunds too, but not for reversals', async () => {
    const order = await books().open()
    const [payment] = (await pay({ orderNumber: order.number, amount: euros('30.00'), allowOverpayment: true })).payments
    const back = { kind: 'refund', orderNumber: order.number, method: 'cash', amount: euros('10.00'), sendReceipt: true }
    expect(await scenario.call('record_manual_payment', back)).toMatchObject({ queued: 1 })
    expect((await mails('payment.refunded')).rows).toHaveLength(1)
    const reversal = { kind: 'reversal', paymentId: payment.id, amount: euros('1.00'), sendReceipt: true }
    expect((await scenario.refused('record_manual_payment', reversal)).fields).toMatchObject([{ path: 'sendReceipt' }])
  })
})

describe('record_manual_payment: yen, archived events and test orders', () => {
  it('records payments in yen without decimals', async () => {
    const { eventId: _eventId, eventCode: _eventCode, ...client } = scenario.event
    const tokyo = await scenario.world.event({ at: client, timezone: 'Asia/Tokyo' })
    await scenario.world.database.pool.query(`update events set currency = 'JPY' where id = $1`, [tokyo.eventId])
    const yen = openEventLedger(scenario.world, tokyo, { currency: 'JPY', timezone: 'Asia/Tokyo' })
    const order = await yen.open()
    await yen.sell(order.id, [[1000, 100]])
    const call = { eventCode: tokyo.eventCode, kind: 'payment', method: 'cash', orderNumber: order.number }
    expect(
      (await scenario.olga.refused('record_manual_payment', { ...call, amount: { amount: '600.00', currency: 'JPY' } })).message,
    ).toContain('more decimals than JPY has (0)')
    expect(await scenario.olga.call('record_manual_payment', { ...call, amount: { amount: '600', currency: 'JPY' } })).toMatchObject({
      order: { balance: { amount: '500', currency: 'JPY' } },
    })
    expect(
      (await scenario.olga.refused('record_manual_payment', { ...call, amount: { amount: '501', currency: 'JPY' } })).message,
    ).toContain('balance is 500 JPY')
    expect(await yen.violations()).toEqual({})
  })

  it('records payments at an archived event', async () => {
    const { eventId: _eventId, eventCode: _eventCode, ...client } = scenario.event
    const old = await scenario.world.event({ at: client, status: 'archived', startsOn: '2025-05-11' })
    const theirs = openEventLedger(scenario.world, old)
    const order = await theirs.open()
    const invoice = await theirs.sell(order.id, [[12_50, 0]])
    const here = { eventCode: old.eventCode }
    await scenario.olga.call('record_manual_payment', {
      ...here,
      kind: 'payment',
      method: 'cash',
      orderNumber: order.number,
      amount: euros('2.50'),
    })
    await scenario.olga.call('write_off_invoices', { ...here, invoiceNumbers: [invoice!.number], reason: 'small' })
    expect((await scenario.olga.call('list_order_invoices', here)).totals.balance).toEqual(euros('0.00'))
  })

  it('numbers receipts of test orders separately', async () => {
    const order = await books().open({ isTestData: true })
    await books().sell(order.id, [[10_00, 0]])
    expect(order.number).toMatch(/^T-R-/)
    expect((await pay({ orderNumber: order.number, amount: euros('10.00') })).receiptNumber).toMatch(/^T-RC-/)
    const real = await worked()
    const invoice = await scenario.queryNumber(`select id as figure from invoices where order_id = '${order.id}'`)
    const { rows } = await scenario.world.database.pool.query<{ number: string }>('select number from invoices where id = $1', [invoice])
    const mixed = { invoiceNumbers: [rows[0]!.number, real.invoiceNumber], amount: euros('5.00') }
    expect((await refusedPay(mixed)).message).toContain('make a separate call for each')
  })
})
