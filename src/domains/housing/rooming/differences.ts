import type { RoomingRow } from './tables.ts'

export type RoomChange = 'new' | 'arrival' | 'departure' | 'dates' | 'roomType' | 'guests' | 'details'

export interface RoomingDifferences {
  changes: Map<string, RoomChange>
  cancelled: RoomingRow[]
}

/**
 * Finds what changed since the last version of the rooming list, by reservation. Of several changes to a room, the most important one
 * counts.
 */
export function findRoomingDifferences(before: readonly RoomingRow[], after: readonly RoomingRow[]): RoomingDifferences {
  const earlier = new Map(before.map((row) => [row.reservationId, row]))
  const kept = new Set(after.map(({ reservationId }) => reservationId))
  const changes = new Map<string, RoomChange>()
  for (const row of after) {
    const old = earlier.get(row.reservationId)
    const change = old ? nameChange(old, row) : 'new'
    if (change) changes.set(row.reservationId, change)
  }
  return { changes, cancelled: before.filter(({ reservationId }) => !kept.has(reservationId)) }
}

function nameChange(old: RoomingRow, row: RoomingRow): RoomChange | null {
  const [arrives, leaves] = [old.checkIn !== row.checkIn, old.checkOut !== row.checkOut]
  if (arrives && leaves) return 'dates'
  if (arrives) return 'arrival'
  if (leaves) return 'departure'
  if (old.roomType !== row.roomType) return 'roomType'
  if (old.guest !== row.guest || old.occupants !== row.occupants || old.sharers.join('|') !== row.sharers.join('|')) return 'guests'
  const details = ({ bedType, smoking, requests, loyaltyNumber, guarantee }: RoomingRow) =>
    JSON.stringify([bedType, smoking, requests, loyaltyNumber, guarantee])
  return details(old) === details(row) ? null : 'details'
}
