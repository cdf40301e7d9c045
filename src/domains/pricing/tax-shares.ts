import { sumMinor } from '../../kernel/money.ts'
import type { SoldLine, TaxShare } from './lines.ts'

/**
 * Part of a line's tax on its components. All minor units of the sold tax have one order (Sainte-Laguë's), and a part is the first so many of
 * them: more tax never is less of a component, as it can be with largest remainders, and all of it is what was sold.
 */
export function dealt({ taxComponents }: Pick<SoldLine, 'taxComponents'>, tax: number): TaxShare[] {
  const sold = taxComponents.map(({ amount }) => BigInt(amount))
  const all = sold.reduce((sum, amount) => sum + amount, 0n)
  if (all === 0n) return [...taxComponents]
  const counts = sold.map((amount) => Number((2n * BigInt(tax) * amount + all) / (2n * all)))
  const some = [...counts.keys()].filter((index) => sold[index]! > 0n)
  // Rounding is at most half a unit off per component, so few are moved.
  for (let over = sumMinor(counts) - tax; over > 0; over -= 1) {
    const last = some.reduce((a, b) => (comesBefore(turn(a, 0), turn(b, 0)) ? b : a))
    counts[last]! -= 1
  }
  for (let under = tax - sumMinor(counts); under > 0; under -= 1) {
    const next = some.reduce((a, b) => (comesBefore(turn(b, 1), turn(a, 1)) ? b : a))
    counts[next]! += 1
  }
  return taxComponents.map((share, index) => ({ ...share, amount: counts[index]! }))

  function turn(index: number, more: 0 | 1): Turn {
    return { odd: BigInt(2 * (counts[index]! + more) - 1), sold: sold[index]!, index }
  }
}

/** Of a component its k-th unit comes at (2k - 1) / sold. */
interface Turn {
  odd: bigint
  sold: bigint
  index: number
}

function comesBefore(a: Turn, b: Turn): boolean {
  const [first, second] = [a.odd * b.sold, b.odd * a.sold]
  return first === second ? a.index < b.index : first < second
}
