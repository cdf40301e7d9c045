import fc from 'fast-check'
import { expect } from 'vitest'
import { calculateLineCredits, type RemovalCreditRule } from '../../src/domains/orders/credits.ts'
import { creditOrderLines, addAndInvoiceOrderLines } from '../../src/domains/orders/invoices.ts'
import { listOrderLinesWithCredits, type NewOrderLine } from '../../src/domains/orders/lines.ts'
import { lockOrder, type OrderRow } from '../../src/domains/orders/orders.ts'
import { recordPayment } from '../../src/domains/orders/payments.ts'
import { recordRefund } from '../../src/domains/orders/refunds.ts'
import { reversePayment } from '../../src/domains/orders/reversals.ts'
import { writeOffInvoices } from '../../src/domains/orders/write-offs.ts'
import type { EventContext } from '../../src/kernel/context.ts'
import { AppError } from '../../src/kernel/errors.ts'
import { computePercentOfAmount } from '../../src/kernel/money.ts'
import { tenantDb } from '../../src/kernel/scoped-db.ts'
import { type LedgerModel, LedgerRefusal } from './ledger-model.ts'

const part = fc.integer({ min: 1, max: 120 })
const pick = fc.nat({ max: 9 })
/** Index of the purchase order that a step changes, usually the first. */
const who = fc.constantFrom(0, 0, 0, 1)
const line = fc.record({
  unit: fc.integer({ min: 0, max: 30_000 }),
  quantity: fc.integer({ min: 1, max: 4 }),
  discount: fc.integer({ min: 0, max: 100 }),
  rate: fc.constantFrom('0', '5.5', '19', '20'),
})

const buying = fc.record({
  do: fc.constant('buy' as const),
  who,
  lines: fc.array(line, { minLength: 1, maxLength: 3 }),
  terms: fc.integer({ min: 0, max: 3 }),
})

/**
 * A generated change of one of two purchase orders. Indexes and percentages refer to the invoices and payments at the time of the change.
 */
const happening = fc.oneof(
  { weight: 4, arbitrary: buying },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('take off' as const),
      who,
      pick,
      units: fc.integer({ min: 1, max: 4 }),
      by: fc.constantFrom('full' as const, 'none' as const, 'amount' as const),
      part,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('cancel' as const),
      who,
      by: fc.constantFrom('full' as const, 'none' as const, 'amount' as const),
      part,
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('pay' as const), who, part, more: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('pay invoices' as const),
      picks: fc.array(pick, { minLength: 1, maxLength: 3 }),
      part,
      more: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('refund' as const), who, part, named: fc.option(pick, { nil: null }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('reverse' as const), pick, part }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('give up' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('claim again' as const), pick }) },
)
type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never

/** The history starts with several sales, because the rules that allocate payments matter only with several open invoices. */
export const randomOrderHistory = fc
  .tuple(fc.array(buying, { minLength: 2, maxLength: 5, size: 'max' }), fc.array(happening, { minLength: 3, maxLength: 10, size: 'max' }))
  .map(([first, then]) => [...first, ...then])

const AT = new Date('2026-04-10T10:00:00Z')
const CONFIG = { products: [] } as const
const of = <T>(list: readonly T[], index: number): T | undefined => (list.length === 0 ? undefined : list[index % list.length])
/** Returns the given percentage of an amount, but at least 1. The percentage may exceed 100, so that some payments are too high. */
const share = (whole: number, percent: number) => Math.max(1, Math.floor((whole * percent) / 100))

const newLine = ({ unit, quantity, discount, rate }: { unit: number; quantity: number; discount: number; rate: string }): NewOrderLine => {
  const listAmount = unit * quantity
  const off = computePercentOfAmount(listAmount, String(discount))
  const net = listAmount - off
  const tax = computePercentOfAmount(net, rate)
  return {
    kind: 'sale',
    productCode: 'seat',
    description: 'Seat',
    quantity,
    unitPrice: unit,
    listAmount,
    discount: off,
    net,
    tax,
    total: net + tax,
    taxCode: null,
    taxRate: rate,
    taxInclusive: false,
    taxComponents: [],
    taxNote: null,
    participantId: null,
    pricedAt: AT,
  }
}

const terms = (days: number) => ({ at: AT, startsOn: '2026-09-01', paymentTermsDays: days })

/** Applies a step to the database and to the in-memory model; both must accept or both must refuse it. */
export async function applyHistoryStep(ctx: EventContext, model: LedgerModel, orders: readonly OrderRow[], what: Happening): Promise<void> {
  const both = async <T>(inBooks: () => Promise<T>, onPaper: () => void) => {
    const refused = await inBooks().then(
      () => false,
      (error: unknown) => {
        if (error instanceof AppError) return true
        throw error
      },
    )
    let denied = false
    try {
      onPaper()
    } catch (error) {
      if (!(error instanceof LedgerRefusal)) throw error
      denied = true
    }
    expect(refused).toBe(denied)
  }
  const cash = { method: 'cash' as const, reference: null, note: null, receivedAt: AT, allowDuplicate: true }
  const order = orders['who' in what ? what.who : 0]!

  if (what.do === 'buy') {
    const invoice = await addAndInvoiceOrderLines(ctx, await lockOrder(ctx, order.id), what.lines.map(newLine), terms(what.terms))
    if (invoice) model.sell({ number: invoice.number, order: order.id, dueOn: `2026-04-1${what.terms}`, total: invoice.total })
  }
  if (what.do === 'take off' || what.do === 'cancel') {
    const held = (await listOrderLinesWithCredits(ctx, { orderId: order.id })).filter(({ remaining }) => remaining > 0)
    const going = what.do === 'cancel' ? held : [of(held, what.pick)].filter((one) => one !== undefined)
    const removals = going.map((one) => ({ line: one, units: what.do === 'cancel' ? one.remaining : Math.min(what.units, one.remaining) }))
    const rule: RemovalCreditRule =
      what.by === 'amount'
        ? {
            by: 'amount',
            amount: share(
              going.reduce((sum, { total }) => sum + total, 0),
              what.part,
            ),
          }
        : { by: what.by }
    const credits = calculateLineCredits(removals, rule, CONFIG as never, AT)
    await creditOrderLines(ctx, await lockOrder(ctx, order.id), credits, terms(0))
    const { rows } = await ctx.db.executeQuery<{ id: string; number: string }>(
      tenantDb(ctx).selectFrom('invoices').select(['id', 'number']).where('order_id', '=', order.id).compile(),
    )
    const number = new Map(rows.map((row) => [row.id, row.number]))
    model.takeOff(
      order.id,
      credits.flatMap(({ line: one, amounts }) =>
        amounts.total === 0 ? [] : [{ invoice: number.get(one.invoice_id!)!, amount: amounts.total }],
      ),
    )
  }
  if (what.do === 'pay' || what.do === 'pay invoices') {
    const named =
      what.do === 'pay'
        ? null
        : [...new Set(what.picks.map((index) => of(model.invoices, index)?.number).filter((one) => one !== undefined))]
    if (
      named?.some(
        (number) => model.credited(number) === model.invoices.find((one) => one.number === number)!.total && model.balance(number) === 0,
      )
    )
      return
    if (named?.length === 0) return
    const numbers = named ?? model.of(order.id).map(({ number }) => number)
    const claimed = numbers.reduce((sum, number) => sum + model.balance(number) + model.givenUp(number), 0)
    const amount = share(claimed, what.part)
    const payee = named ? { invoiceNumbers: named } : { orderNumber: order.number }
    const lastOrder = named ? model.invoices.find(({ number }) => number === named.at(-1))!.order : order.id
    let kept: { id: string; invoiceId: string | null }[] = []
    await both(
      async () => {
        kept = (await recordPayment(ctx, { ...cash, payee, amount, allowOverpayment: what.more })).payments
      },
      () => {
        const made = model.pay(lastOrder, numbers, amount, what.more)
        expect(kept).toHaveLength(made.length)
        for (const [index, payment] of made.entries()) payment.id = kept[index]!.id
      },
    )
  }
  if (what.do === 'refund') {
    const amount = share(model.credit(order.id), what.part)
    const own = model.payments.filter((payment) => payment.order === order.id)
    const payment = what.named === null ? null : (of(own, what.named) ?? null)
    const refund = {
      orderId: order.id,
      paymentId: payment?.id ?? null,
      amount,
      method: 'cash' as const,
      reference: null,
      note: null,
      refundedAt: AT,
    }
    await both(
      () => recordRefund(ctx, refund),
      () => model.refund(order.id, amount, payment),
    )
  }
  if (what.do === 'reverse') {
    const payment = of(model.payments, what.pick)
    if (!payment) return
    const amount = share(payment.left, what.part)
    await both(
      () => reversePayment(ctx, { paymentId: payment.id, amount, note: null }),
      () => model.reverse(payment, amount),
    )
  }
  if (what.do === 'give up' || what.do === 'claim again') {
    const number = of(model.invoices, what.pick)?.number
    if (number === undefined) return
    const reverse = what.do === 'claim again'
    await writeOffInvoices(ctx, { invoiceNumbers: [number], reason: 'so', reverse })
    if (reverse) model.claimAgain(number)
    else model.giveUp(number)
  }
}
