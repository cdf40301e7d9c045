import { sql } from 'kysely'
import type { EventContext } from '../../../kernel/context.ts'
import { type Money, toMoney } from '../../../kernel/money.ts'
import { PAYER_COLUMNS_SQL, PAYER_JOINS_SQL, type PayerRow, toPayer } from './payers.ts'

/** An invoice with its payer's name and the amount that a payment can settle. */
export interface InvoiceWithPayer {
  number: string
  payer: string
  claim: Money
}

/** Lists the invoices with these invoice numbers or of the orders with these order numbers. Unknown numbers are left out. */
export async function listInvoicePayers({ tenantId, event, db }: EventContext, numbers: readonly string[]): Promise<InvoiceWithPayer[]> {
  if (numbers.length === 0) return []
  const { rows } = await sql<PayerRow & { number: string; claim: number }>`
    select i.number, i.balance + i.written_off as claim, ${PAYER_COLUMNS_SQL}
    from invoices i join orders o on o.tenant_id = i.tenant_id and o.event_id = i.event_id and o.id = i.order_id ${PAYER_JOINS_SQL}
    where i.tenant_id = ${tenantId} and i.event_id = ${event.id} and i.kind = 'invoice' and i.id in (
      select n.id from invoices n where n.tenant_id = ${tenantId} and n.event_id = ${event.id} and n.number = any(${numbers})
      union select n.id from orders d join invoices n on n.tenant_id = d.tenant_id and n.event_id = d.event_id and n.order_id = d.id
        where d.tenant_id = ${tenantId} and d.event_id = ${event.id} and d.number = any(${numbers}))`.execute(db)
  return rows.map((row) => ({ number: row.number, payer: toPayer(row).name, claim: toMoney(row.claim, event.currency) }))
}
