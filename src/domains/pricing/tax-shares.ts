import { sumMinorUnits } from '../../kernel/money.ts'
import type { SoldOrderLine, TaxComponentAmount } from './lines.ts'

/**
 * Distributes a part of an order line's tax, such as that of a credit, over its tax components. The Sainte-Laguë method assigns each minor
 * unit (such as a cent) of the sold tax to a component, in a fixed sequence, and a part of the tax consists of the first units of that
 * sequence. So a larger part never reduces a component, unlike with largest remainders, and the full tax gives exactly the sold components.
 */
export function distributeTaxToComponents({ taxComponents }: Pick<SoldOrderLine, 'taxComponents'>, tax: number): TaxComponentAmount[] {
  const sold = taxComponents.map(({ amount }) => BigInt(amount))
  const all = sold.reduce((sum, amount) => sum + amount, 0n)
  if (all === 0n) return [...taxComponents]
  const counts = sold.map((amount) => Number((2n * BigInt(tax) * amount + all) / (2n * all)))
  const some = [...counts.keys()].filter((index) => sold[index]! > 0n)
  // Rounding changes each amount by at most half a minor unit (such as a cent), so the following loops correct only a few minor units.
  for (let over = sumMinorUnits(counts) - tax; over > 0; over -= 1) {
    const last = some.reduce((a, b) => (comesBefore(priorityOf(a, 0), priorityOf(b, 0)) ? b : a))
    counts[last]! -= 1
  }
  for (let under = tax - sumMinorUnits(counts); under > 0; under -= 1) {
    const next = some.reduce((a, b) => (comesBefore(priorityOf(b, 1), priorityOf(a, 1)) ? b : a))
    counts[next]! += 1
  }
  return taxComponents.map((share, index) => ({ ...share, amount: counts[index]! }))

  function priorityOf(index: number, more: 0 | 1): UnitPriority {
    return { odd: BigInt(2 * (counts[index]! + more) - 1), sold: sold[index]!, index }
  }
}

/**
 * One minor unit (such as a cent) of a tax component. Minor units are distributed by priority: the k-th one of a component has the priority
 * (2k - 1) / sold.
 */
interface UnitPriority {
  odd: bigint
  sold: bigint
  index: number
}

function comesBefore(a: UnitPriority, b: UnitPriority): boolean {
  const [first, second] = [a.odd * b.sold, b.odd * a.sold]
  return first === second ? a.index < b.index : first < second
}
