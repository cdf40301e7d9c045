import type { ProgramSession } from '../../../domains/sessions/program.ts'

/** Limits of the grid: the stylesheet has rules for this many rooms and times. A larger day is shown as a list. */
const MAX_COLUMNS = 8
const MAX_ROWS = 60

export interface PlacedSession {
  session: ProgramSession
  /** The column of the conference session on the grid, counted from 1. */
  column: number
  row: number
  rows: number
}

export interface DayLayout {
  /** The room of each column of the grid; null for conference sessions without a room. */
  rooms: (string | null)[]
  /** The start times of conference sessions in order, each with its row on the grid. */
  starts: { at: number; row: number; sessions: PlacedSession[] }[]
  isGrid: boolean
}

/**
 * Places the conference sessions of one day on a grid of rooms and times. Every start and end begins a row, so that simultaneous sessions
 * are next to each other. Sessions without a room, and cancelled ones whose room was given to another session, can overlap: they get a
 * further column.
 */
export function layOutDay(program: readonly ProgramSession[], roomOrder: readonly string[]): DayLayout {
  const times = [...new Set(program.flatMap(({ startsAt, endsAt }) => [startsAt.getTime(), endsAt.getTime()]))].toSorted((a, b) => a - b)
  const rowOf = new Map(times.map((time, i) => [time, i + 1]))
  const columns: { room: string | null; sessions: ProgramSession[] }[] = []
  const position = (room: string | null) => {
    const known = room === null ? -1 : roomOrder.indexOf(room)
    return known < 0 ? roomOrder.length + Number(room === null) : known
  }
  for (const session of program.toSorted(
    (a, b) => Number(a.isCancelled) - Number(b.isCancelled) || position(a.roomCode) - position(b.roomCode),
  )) {
    const free = columns.find(({ room, sessions }) => room === session.roomCode && !sessions.some((other) => overlap(other, session)))
    if (free) free.sessions.push(session)
    else columns.push({ room: session.roomCode, sessions: [session] })
  }
  const sorted = columns.toSorted((a, b) => position(a.room) - position(b.room))
  const columnOf = new Map(sorted.flatMap(({ sessions }, i) => sessions.map((session) => [session.id, i + 1])))
  const placed = program.map((session): PlacedSession => {
    const row = rowOf.get(session.startsAt.getTime())!
    return { session, column: columnOf.get(session.id)!, row, rows: Math.max(1, rowOf.get(session.endsAt.getTime())! - row) }
  })
  const starts = [...Map.groupBy(placed, ({ session }) => session.startsAt.getTime())]
    .toSorted(([a], [b]) => a - b)
    .map(([at, sessions]) => ({ at, row: rowOf.get(at)!, sessions: sessions.toSorted((a, b) => a.column - b.column) }))
  return { rooms: sorted.map(({ room }) => room), starts, isGrid: sorted.length <= MAX_COLUMNS && times.length <= MAX_ROWS }
}

const overlap = (a: ProgramSession, b: ProgramSession) => a.startsAt < b.endsAt && b.startsAt < a.endsAt
