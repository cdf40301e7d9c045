import type { CappedTotal } from '../../kernel/totals.ts'

/** Formats a total with its noun: "1 event", "41 events", "more than 10,000 events". */
export function formatTotalWithNoun({ total, totalAtLeast }: CappedTotal, one: string): string {
  if (total === undefined) return `more than ${(totalAtLeast ?? 0).toLocaleString('en')} ${one}s`
  return total === 1 ? `1 ${one}` : `${total} ${one}s`
}
