/** One part of a score, and what it says to the person when it is among the largest. */
export interface Part {
  weight: number
  value: number
  reason: string | null
}

export interface Scored {
  name: string
  id: string
  score: number
}

const MAX_REASONS = 3

/** Four decimals, so that sums of fractions that are equal on paper are equal here. */
export const rounded = (score: number): number => Math.round(score * 10_000) / 10_000

export const scoreOf = (parts: readonly Part[]): number => rounded(parts.reduce((sum, { weight, value }) => sum + weight * value, 0))

/** From the largest parts down; equal ones stay in the order they were given in. */
export const reasonsOf = (parts: readonly Part[]): string[] =>
  parts
    .filter(({ weight, value, reason }) => reason !== null && weight * value > 0)
    .toSorted((a, b) => b.weight * b.value - a.weight * a.value)
    .slice(0, MAX_REASONS)
    .map(({ reason }) => reason!)

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** Best first; equal scores by name, then by id, so that the same question has the same answer. */
export const ranked = <T extends Scored>(items: readonly T[], limit: number): T[] =>
  items.toSorted((a, b) => b.score - a.score || compare(a.name, b.name) || compare(a.id, b.id)).slice(0, limit)
