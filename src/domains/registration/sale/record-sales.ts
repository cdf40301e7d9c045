import { createSoldLicences } from '../../exhibitors/licences.ts'
import { assignStayNumbers } from '../../housing/reservations.ts'
import { sellLines } from '../../orders/invoices.ts'
import type { NewLine } from '../../orders/lines.ts'
import { getOrCreateOrder, type OrderOwner } from '../../orders/orders.ts'
import type { BillTo } from '../../orders/tables.ts'
import type { EventScope, EventSnapshot } from '../event-snapshot.ts'
import { recalculateTags } from '../tags.ts'

/** The products bought by one registration, before they are written to an order. */
export interface PendingSale {
  owner: OrderOwner
  billTo: BillTo
  discountCode: string | null
  lines: readonly NewLine[]
  /** Hotel reservations made with this sale. */
  reservations?: readonly string[]
  /** IDs of the participants whose tags have to be recalculated. */
  people: readonly string[]
  /** True if the payer's row was created in this transaction. */
  isFirst?: boolean
}

export interface RecordedSale {
  orderId: string
  invoice: { id: string; number: string; total: number } | null
}

/**
 * Writes sales to the orders of their payers, with one invoice per order regardless of the number of participants. Order and invoice
 * numbers are allocated last, so that a bulk registration takes all capacity before it holds the lock on the number sequence.
 */
export async function recordSales(ctx: EventScope, snapshot: EventSnapshot, sales: readonly PendingSale[]): Promise<RecordedSale[]> {
  const claimed: RecordedSale[] = []
  await assignStayNumbers(
    ctx,
    sales.flatMap(({ reservations = [] }) => reservations),
    snapshot.isTest,
  )
  for (const [, same] of Map.groupBy(sales.filter(hasOrder), ({ owner }) => JSON.stringify(owner))) {
    const { owner, billTo, discountCode, isFirst = false } = same[0]!
    const order = await getOrCreateOrder(ctx, { owner, origin: snapshot.isTest ? 'test' : 'real', billTo, discountCode, isFirst })
    const lines = same.flatMap((sale) => sale.lines)
    const invoice = await sellLines(ctx, order, lines, snapshot)
    await createSoldLicences(ctx, snapshot.config, { orderId: order.id, lines })
    claimed.push({ orderId: order.id, invoice })
  }
  // Products add tags to their holders.
  await recalculateTags(
    ctx,
    snapshot.config,
    sales.flatMap(({ people }) => people),
  )
  return claimed
}

/** Whether the sale needs an order. A free room needs none. */
const hasOrder = ({ reservations, lines }: PendingSale) => reservations === undefined || lines.length > 0
