import type { ParticipantCount } from './summary-figures.ts'

export const sumCounts = (rows: readonly { count: number }[]) => rows.reduce((sum, { count }) => sum + count, 0)

export function countParticipantsByStatus(rows: readonly Pick<ParticipantCount, 'status' | 'count'>[]) {
  const of = (status: ParticipantCount['status']) => sumCounts(rows.filter((row) => row.status === status))
  return {
    total: sumCounts(rows),
    incomplete: of('incomplete'),
    complete: of('complete'),
    waitlisted: of('waitlisted'),
    cancelled: of('cancelled'),
  }
}

/** Groups rows by key, largest group first, then by key; the group with key null comes last. */
export const groupByKeyLargestFirst = <Row extends { count: number }, Key extends string | null>(
  rows: readonly Row[],
  keyOf: (row: Row) => Key,
): [Key, Row[]][] =>
  [...Map.groupBy(rows, keyOf)].toSorted(
    ([a, some], [b, others]) => sumCounts(others) - sumCounts(some) || ((a ?? '~') < (b ?? '~') ? -1 : 1),
  )
