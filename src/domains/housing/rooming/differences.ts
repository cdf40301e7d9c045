import type { RoomingListRow } from './tables.ts'

export type RoomingListChange = 'new' | 'arrival' | 'departure' | 'dates' | 'roomType' | 'guests' | 'details'

export interface RoomingListDifferences {
  changes: Map<string, RoomingListChange>
  cancelled: RoomingListRow[]
}

/**
 * Finds what changed since the last version of the rooming list, by reservation. Of several changes to a room, the most important one
 * counts.
 */
export function findRoomingListDifferences(before: readonly RoomingListRow[], after: readonly RoomingListRow[]): RoomingListDifferences {
  const earlier = new Map(before.map((row) => [row.reservationId, row]))
  const kept = new Set(after.map(({ reservationId }) => reservationId))
  const changes = new Map<string, RoomingListChange>()
  for (const row of after) {
    const old = earlier.get(row.reservationId)
    const change = old ? nameChange(old, row) : 'new'
    if (change) changes.set(row.reservationId, change)
  }
  return { changes, cancelled: before.filter(({ reservationId }) => !kept.has(reservationId)) }
}

function nameChange(old: RoomingListRow, row: RoomingListRow): RoomingListChange | null {
  const [arrives, leaves] = [old.checkIn !== row.checkIn, old.checkOut !== row.checkOut]
  if (arrives && leaves) return 'dates'
  if (arrives) return 'arrival'
  if (leaves) return 'departure'
  if (old.roomType !== row.roomType) return 'roomType'
  if (old.guest !== row.guest || old.occupants !== row.occupants || old.sharers.join('|') !== row.sharers.join('|')) return 'guests'
  const details = ({ bedType, smoking, requests, loyaltyNumber, guarantee }: RoomingListRow) =>
    JSON.stringify([bedType, smoking, requests, loyaltyNumber, guarantee])
  return details(old) === details(row) ? null : 'details'
}
