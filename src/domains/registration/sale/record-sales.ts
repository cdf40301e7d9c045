import { createSoldLicences } from '../../exhibitors/licences.ts'
import { assignAcknowledgementNumbers } from '../../housing/reservations.ts'
import { SerializationConflict } from '../../../kernel/errors.ts'
import type { NewOrderLine } from '../../orders/lines.ts'
import type { OrderOwner } from '../../orders/orders.ts'
import { type CapacityToSell, recordSale, type RecordedSale } from '../../orders/record-sale.ts'
import type { BillTo } from '../../orders/tables.ts'
import type { RegistrationContext, EventSnapshot } from '../event-snapshot.ts'
import { recalculateTags } from '../tags.ts'

/** The products bought by one registration, before they are written to an order. */
export interface PendingSale {
  owner: OrderOwner
  billTo: BillTo
  discountCode: string | null
  lines: readonly NewOrderLine[]
  /** The ids of the hotel reservations that are confirmed with this sale and now get their acknowledgement numbers. */
  reservations?: readonly string[]
  /** IDs of the participants whose tags have to be recalculated. */
  people: readonly string[]
  /** The capacity to take with this sale; left out if it was taken before. */
  take?: CapacityToSell | undefined
  /** Whether the payer's row was created in this transaction, so that no order can exist yet. */
  isFirst?: boolean
  /** Whether the caller writes no other rows after this sale. If so, the commit may be sent to the database together with the sale. */
  isLastStep?: boolean
}

/**
 * Writes sales to the orders of their payers, with one invoice per order regardless of the number of participants. Order and invoice
 * numbers are allocated last, so that a bulk registration takes all capacity before it locks the number series. At most one sale may still
 * have capacity to take.
 */
export async function recordSales(
  ctx: RegistrationContext,
  snapshot: EventSnapshot,
  sales: readonly PendingSale[],
): Promise<RecordedSale[]> {
  const claimed: RecordedSale[] = []
  await assignAcknowledgementNumbers(
    ctx,
    sales.flatMap(({ reservations = [] }) => reservations),
    snapshot.isTest,
  )
  for (const [, same] of Map.groupBy(sales.filter(hasOrder), ({ owner }) => JSON.stringify(owner))) {
    const { owner, billTo, discountCode, isFirst = false, take } = same[0]!
    const lines = same.flatMap((sale) => sale.lines)
    // The members of a group can have different discount codes, so only a participant's order has one.
    const ownCode = 'participantId' in owner ? discountCode : null
    const order = { owner, isTestData: snapshot.isTest, billTo, discountCode: ownCode, isFirst }
    const isLastStep = sales.length === 1 && sales[0]!.isLastStep === true
    const sold = await recordSale(ctx, { order, lines, terms: snapshot, take, isLastStep })
    if ('full' in sold) throw new SerializationConflict('the last units were sold by a concurrent transaction')
    await createSoldLicences(ctx, snapshot.config, { orderId: sold.orderId, lines })
    claimed.push(sold)
  }
  // Products add tags to the participants who hold them, so the tags are recalculated.
  const people = sales.flatMap((sale) => sale.people)
  if (people.length > 0) await recalculateTags(ctx, snapshot.config, people)
  return claimed
}

/** Whether the sale needs an order. A room reservation without any amount to pay needs none. */
const hasOrder = ({ reservations, lines }: PendingSale) => reservations === undefined || lines.length > 0
