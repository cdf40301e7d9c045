import { sumMinorUnits } from '../../kernel/money.ts'

/** The amounts of one line of an order or a quote, in minor units. Amounts and quantity of a credit are negative. */
export interface PriceStatementLine {
  id?: string
  /** For a credit: the id of the order line that it reverses. */
  reversesLineId?: string | null
  description: string
  quantity: number
  unitPrice: number
  discount: number
  tax: number
  total: number
  taxCode: string | null
  taxRate: string
  taxInclusive: boolean
}

export interface PriceStatementItem<Line extends PriceStatementLine> {
  line: Line
  /** The number of units of the line that were not cancelled. */
  quantity: number
  /** The amount of the item before the discount, without taxes that are added to the price. */
  amount: number
}

/** The columns of order lines from which the price statement of an order is built. */
export const STATEMENT_LINE_COLUMNS = [
  'id',
  'reverses_line_id as reversesLineId',
  'description',
  'quantity',
  'unit_price as unitPrice',
  'discount',
  'tax',
  'total',
  'tax_code as taxCode',
  'tax_rate as taxRate',
  'tax_inclusive as taxInclusive',
] as const

export interface PriceStatementTax {
  taxCode: string | null
  percent: number
  amount: number
}

/**
 * An order as shown on every page and in every email. The amounts always add up: the items less the discount plus the added taxes equal the
 * total; taxes that prices include are part of the items.
 */
export interface PriceStatement<Line extends PriceStatementLine> {
  items: PriceStatementItem<Line>[]
  discount: number
  addedTaxes: PriceStatementTax[]
  total: number
  includedTaxes: PriceStatementTax[]
}

/** Builds the price statement of an order. Credits reduce the lines that they reverse; lines that were reversed in full are left out. */
export function buildPriceStatement<Line extends PriceStatementLine>(lines: readonly Line[]): PriceStatement<Line> {
  const credits = Map.groupBy(
    lines.filter(({ reversesLineId }) => reversesLineId),
    ({ reversesLineId }) => reversesLineId,
  )
  const current = lines
    .filter(({ reversesLineId }) => !reversesLineId)
    .map((line) => reduceLine(line, (line.id && credits.get(line.id)) || []))
    .filter(({ quantity, total, discount }) => quantity !== 0 || total !== 0 || discount !== 0)
  return {
    items: current.map((one) => ({ line: one.line, quantity: one.quantity, amount: one.total + one.discount - addedTax(one) })),
    discount: sumMinorUnits(current.map(({ discount }) => discount)),
    addedTaxes: groupTaxes(current.filter(({ line }) => !line.taxInclusive)),
    total: sumMinorUnits(current.map(({ total }) => total)),
    includedTaxes: groupTaxes(current.filter(({ line }) => line.taxInclusive)),
  }
}

interface ReducedLine<Line> {
  line: Line
  quantity: number
  discount: number
  tax: number
  total: number
}

function reduceLine<Line extends PriceStatementLine>(line: Line, credits: readonly Line[]): ReducedLine<Line> {
  const sum = (key: 'quantity' | 'discount' | 'tax' | 'total') => sumMinorUnits([line, ...credits].map((one) => one[key]))
  return { line, quantity: sum('quantity'), discount: sum('discount'), tax: sum('tax'), total: sum('total') }
}

const addedTax = ({ line, tax }: ReducedLine<PriceStatementLine>) => (line.taxInclusive ? 0 : tax)

/** Groups taxes by code and rate, without taxes of zero. */
const groupTaxes = (lines: readonly ReducedLine<PriceStatementLine>[]): PriceStatementTax[] =>
  [...Map.groupBy(lines, ({ line: { taxCode, taxRate } }) => `${taxCode} ${Number(taxRate)}`).values()].flatMap((same) => {
    const { taxCode, taxRate } = same[0]!.line
    const amount = sumMinorUnits(same.map(({ tax }) => tax))
    return amount === 0 ? [] : [{ taxCode, percent: Number(taxRate), amount }]
  })

/**
 * Merges items of the same product at the same price, for orders with many participants. Amounts retained from cancelled items stay
 * separate.
 */
export function mergeStatementItems<Line extends PriceStatementLine & { productCode: string | null }>(
  items: readonly PriceStatementItem<Line>[],
): PriceStatementItem<Line>[] {
  const keyOf = ({ line, quantity }: PriceStatementItem<Line>) =>
    [line.productCode ?? line.description, line.unitPrice, quantity === 0, line.taxInclusive].join(' ')
  return [...Map.groupBy(items, keyOf).values()].map((same) => ({
    line: same[0]!.line,
    quantity: sumMinorUnits(same.map(({ quantity }) => quantity)),
    amount: sumMinorUnits(same.map(({ amount }) => amount)),
  }))
}
