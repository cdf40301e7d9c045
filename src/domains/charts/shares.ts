import { splitByWeights } from '../../kernel/money.ts'

/** Converts values to percentages with one decimal that add up to 100.0, by the largest remainder method; all are 0 if all values are 0. */
export function toPercentages(values: readonly number[], unitsOf: (value: number) => number): number[] {
  return splitByWeights(
    1000,
    values.map((value) => Math.round(unitsOf(value))),
  ).map((share) => share / 10)
}

export const createPercentFormatter = (locale: string) => {
  const format = new Intl.NumberFormat(locale, { style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 })
  return (percent: number) => format.format(percent / 100)
}
