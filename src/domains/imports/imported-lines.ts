import type { NewOrderLine } from '../orders/lines.ts'
import type { ImportedPurchase, ParsedPerson } from './read-person.ts'
import type { ImportRunState } from './run-state.ts'

/** Returns the products that the file lists for a person: in a separate sheet, or in the person's own row. */
export const listPersonPurchases = ({ lines }: ImportRunState, { key, line }: ParsedPerson): readonly ImportedPurchase[] =>
  lines.get(key) ?? (line ? [line] : [])

/** Returns the products to import as order lines for a person. Only a complete registration has order lines. */
export const listPurchasesToImport = (state: ImportRunState, person: ParsedPerson) =>
  person.status === 'complete' ? listPersonPurchases(state, person) : []

/** Hashes a person's row together with the person's order lines in a separate sheet, to detect changes in a later import. */
export function hashPersonWithPurchases({ lines }: ImportRunState, { key, hash }: ParsedPerson): Buffer {
  const own = lines.get(key)
  return own === undefined ? hash : Buffer.concat([hash, Buffer.from(JSON.stringify(own))])
}

/** Converts an imported line to an order line. The total in the file counts as net, because its tax share is unknown. */
export function toImportedOrderLine(
  { rules }: ImportRunState,
  { productCode, quantity, total }: ImportedPurchase,
  participantId: string,
  at: Date,
): NewOrderLine {
  const product = rules.config.products.find(({ code }) => code === productCode)
  return {
    kind: 'sale',
    productCode,
    description: product?.name ?? productCode,
    quantity,
    unitPrice: Math.round(total / quantity),
    listAmount: total,
    discount: 0,
    net: total,
    tax: 0,
    total,
    taxCode: null,
    taxRate: '0',
    taxInclusive: false,
    taxComponents: [],
    taxNote: null,
    participantId,
    pricedAt: at,
  }
}
