import type { CheckoutLineItem } from '../../kernel/cards.ts'

declare module '../../kernel/columns.ts' {
  interface ColumnTypes {
    'charges.lines': CheckoutLineItem[]
  }
}
