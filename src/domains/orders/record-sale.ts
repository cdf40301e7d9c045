import { sql } from 'kysely'
import { announceToWebhooks } from '../../kernel/announce.ts'
import { newId } from '../../kernel/ids.ts'
import { sumMinorUnits } from '../../kernel/money.ts'
import { toDayInZone } from '../../kernel/time.ts'
import type { InventoryQuantity, InventoryHolder } from '../inventory/units.ts'
import { computeDueDate, type InvoiceDateSettings } from './due-date.ts'
import { applyCreditToOpenInvoices } from './ledger.ts'
import { type NewOrderLine, toOrderLineColumns } from './lines.ts'
import type { OrderContext, OrderOwner } from './orders.ts'
import type { BillTo } from './tables.ts'

/** The capacity (units of limited products and seats) that becomes sold when the order lines are written. */
export interface CapacityToSell {
  holder: InventoryHolder
  units: readonly InventoryQuantity[]
  beyondCapacity: boolean
}

/** The order of a participant, group or company. It is created if the owner has none. */
interface OrderOfOwner {
  owner: OrderOwner
  isTestData: boolean
  billTo: BillTo
  discountCode: string | null
  /** True if the owner of the order was created in this transaction, so that no order of the owner can exist yet. */
  isFirst: boolean
}

export interface Sale {
  /** The id of a locked order, or the owner of the order. */
  order: { id: string } | OrderOfOwner
  lines: readonly NewOrderLine[]
  terms: InvoiceDateSettings
  take?: CapacityToSell | undefined
  /** Whether the database transaction writes nothing after this sale, so that the commit can be sent together with the sale. */
  isLastStep?: boolean
}

export interface RecordedSale {
  orderId: string
  order: { number: string; total: number; balance: number }
  invoice: { id: string; number: string; total: number } | null
}

interface SaleResult {
  orderId: string
  number: string
  total: number
  balance: number
  isTestData: boolean
  opened: boolean
  invoiceNumber: string | null
  credit: number
}

/**
 * Adds lines to an order, issues their invoice and takes the capacity, in one statement. Free lines need no invoice. If the capacity is not
 * available, returns the inventory key (such as `product:dinner`) that is full and changes nothing.
 */
export async function recordSale(ctx: OrderContext, sale: Sale & { take?: undefined }): Promise<RecordedSale>
export async function recordSale(ctx: OrderContext, sale: Sale): Promise<RecordedSale | { full: string }>
export async function recordSale(ctx: OrderContext, sale: Sale): Promise<RecordedSale | { full: string }> {
  const amounts = sumLineAmounts(sale.lines)
  const invoiceId = amounts.total === 0 ? null : newId()
  const commit = sale.isLastStep ? (ctx.beginCommit?.() ?? null) : null
  const selling = sql<{ result: SaleResult | { full: string } }>`
    select sale_record(${ctx.tenantId}, ${ctx.event.id}, ${JSON.stringify({
      take: sale.take && {
        holder: sale.take.holder.participantId,
        entry: sale.take.holder.entryId,
        units: sale.take.units,
        beyondCapacity: sale.take.beyondCapacity,
      },
      order: toOrderParameters(ctx, sale.order),
      invoice: invoiceId === null ? undefined : { id: invoiceId, ...amounts, ...toInvoiceDates(ctx, sale.terms) },
      lines: sale.lines.map((line, index) => ({
        ...toOrderLineColumns(line),
        tax_components: line.taxComponents,
        n: index + 1,
        id: line.id ?? newId(),
      })),
      by: ctx.actor.id,
      commits: commit !== null,
    })}::jsonb) as result`.execute(ctx.db)
  // If `commit` throws, the caller gets that error. The failure of the query must then not become an unhandled rejection.
  selling.catch(() => {})
  commit?.()
  const { result } = (await selling).rows[0]!
  if ('full' in result) return result
  announceSale(ctx, sale, result, invoiceId)
  const { orderId, number, total, balance, invoiceNumber, credit } = result
  return {
    orderId,
    order: invoiceId !== null && credit > 0 ? await applyCreditToOpenInvoices(ctx, orderId) : { number, total, balance },
    invoice: invoiceId === null ? null : { id: invoiceId, number: invoiceNumber!, total: amounts.total },
  }
}

const toOrderParameters = ({ event }: OrderContext, order: Sale['order']) => {
  if ('id' in order) return order
  const { owner, ...rest } = order
  return { newId: newId(), currency: event.currency, ...owner, ...rest }
}

const toInvoiceDates = ({ event: { timezone } }: OrderContext, terms: InvoiceDateSettings) => ({
  year: toDayInZone(timezone, terms.at).slice(0, 4),
  issuedAt: terms.at,
  dueOn: computeDueDate(terms, timezone),
})

export const sumLineAmounts = (lines: readonly { net: number; tax: number; total: number }[]) => ({
  net: sumMinorUnits(lines.map(({ net }) => net)),
  tax: sumMinorUnits(lines.map(({ tax }) => tax)),
  total: sumMinorUnits(lines.map(({ total }) => total)),
})

function announceSale(ctx: OrderContext, { lines }: Sale, { orderId, opened, isTestData }: SaleResult, invoiceId: string | null): void {
  const order = { entity: 'order', id: orderId, isTestData }
  if (opened) announceToWebhooks(ctx, { kind: 'order.created', ...order })
  if (lines.length > 0) announceToWebhooks(ctx, { kind: 'order.updated', ...order, changed: ['lines', 'total'] })
  if (invoiceId === null) return
  announceToWebhooks(ctx, { kind: 'invoice.issued', entity: 'invoice', id: invoiceId, isTestData })
  announceToWebhooks(ctx, { kind: 'order.updated', ...order, changed: ['balance', 'status', 'invoices'] })
}
