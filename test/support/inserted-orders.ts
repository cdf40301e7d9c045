import { newId } from '../../src/kernel/ids.ts'
import type { Pool } from '../../src/kernel/ports.ts'
import type { EventHandle } from './world.ts'

export interface InsertedLine {
  product: string
  kind?: 'sale' | 'credit'
  /** The net amount in minor units, such as cents. */
  net: number
  tax: number
  taxCode?: string | null
  rate?: string
  inclusive?: boolean
  note?: 'reverse_charge'
  pricedAt?: string
  /** For a credit: the index of the line in the same order that it reverses. */
  reverses?: number
}

export interface InsertedOrder {
  billTo?: Record<string, string>
  lines: readonly InsertedLine[]
  isTestData?: boolean
}

let made = 0

/** Inserts orders as if they had been sold: each has its own participant, one invoice for its sales and one credit note for its credits. */
export async function insertOrders(pool: Pool, { tenantId, eventId }: EventHandle, orders: readonly InsertedOrder[]): Promise<string[]> {
  const invoices: string[] = []
  for (const { billTo = {}, lines, isTestData = false } of orders) {
    const orderId = newId()
    const number = ++made
    const owned = [tenantId, eventId]
    const personId = newId()
    await pool.query(`insert into participants (tenant_id, event_id, id, is_test_data) values ($1, $2, $3, $4)`, [
      ...owned,
      personId,
      isTestData,
    ])
    await pool.query(
      `insert into orders (tenant_id, event_id, id, number, participant_id, is_test_data, currency, bill_to)
       select $1, $2, $3, $4, $5, $6, currency, $7 from events where tenant_id = $1 and id = $2`,
      [...owned, orderId, `P-${number}`, personId, isTestData, JSON.stringify(billTo)],
    )
    const lineIds = lines.map(() => newId())
    const documents = { sale: '', credit: '' }
    for (const kind of ['sale', 'credit'] as const) {
      const own = lines.filter((line) => (line.kind ?? 'sale') === kind)
      if (own.length === 0) continue
      documents[kind] = newId()
      const sum = (side: 'net' | 'tax') => Math.abs(own.reduce((total, line) => total + line[side], 0))
      await pool.query(
        `insert into invoices (tenant_id, event_id, id, number, kind, order_id, is_test_data, due_on, bill_to, net, tax, total)
         values ($1, $2, $3, $4, $5, $6, $7, '2027-01-31', $8, $9, $10, $11)`,
        [
          ...owned,
          documents[kind],
          `${kind === 'sale' ? 'PI' : 'PC'}-${number}`,
          kind === 'sale' ? 'invoice' : 'credit_note',
          orderId,
          isTestData,
          JSON.stringify(billTo),
          sum('net'),
          sum('tax'),
          sum('net') + sum('tax'),
        ],
      )
      if (kind === 'sale') invoices.push(documents.sale)
    }
    for (const [index, line] of lines.entries()) {
      const { product, kind = 'sale', net, tax, taxCode = null, rate = '0', inclusive = false, note = null, pricedAt = '2026-06-01' } = line
      const { reverses } = line
      await pool.query(
        `insert into order_lines (tenant_id, event_id, id, order_id, position, is_test_data, kind, product_code, description, quantity, unit_price,
           list_amount, discount, net, tax, total, tax_code, tax_rate, tax_inclusive, tax_note, reverses_line_id, priced_at, invoice_id)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9, $10, $10, 0, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)`,
        [
          ...owned,
          lineIds[index],
          orderId,
          index + 1,
          isTestData,
          kind,
          product,
          kind === 'sale' ? 1 : -1,
          net,
          tax,
          net + tax,
          taxCode,
          rate,
          inclusive,
          note,
          reverses === undefined ? null : lineIds[reverses],
          pricedAt,
          documents[kind],
        ],
      )
    }
  }
  return invoices
}
