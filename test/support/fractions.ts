/** Exact fractions for models that must not share the product's arithmetic. The denominator is positive. */
export interface Fraction {
  top: bigint
  bottom: bigint
}

export const fraction = (top: bigint, bottom: bigint): Fraction => ({ top, bottom })
export const wholeFraction = (n: number): Fraction => fraction(BigInt(n), 1n)

/** Parses a decimal such as "9.975". */
export function parseFraction(text: string): Fraction {
  const [before = '', after = ''] = text.split('.')
  return fraction(BigInt(before + after), BigInt(`1${'0'.repeat(after.length)}`))
}

export const add = (a: Fraction, b: Fraction) => fraction(a.top * b.bottom + b.top * a.bottom, a.bottom * b.bottom)
export const minus = (a: Fraction, b: Fraction) => add(a, fraction(-b.top, b.bottom))
export const times = (a: Fraction, b: Fraction) => fraction(a.top * b.top, a.bottom * b.bottom)
export const divide = (a: Fraction, b: Fraction) => fraction(a.top * b.bottom, a.bottom * b.top)
export const isLess = (a: Fraction, b: Fraction) => a.top * b.bottom < b.top * a.bottom
export const sum = (list: readonly Fraction[]) => list.reduce(add, wholeFraction(0))

/** Rounds half up. Negative fractions do not occur. */
export function roundHalfUp({ top, bottom }: Fraction): number {
  if (top < 0n || bottom <= 0n) throw new RangeError('below zero')
  const floor = top / bottom
  return Number(2n * (top - floor * bottom) >= bottom ? floor + 1n : floor)
}
