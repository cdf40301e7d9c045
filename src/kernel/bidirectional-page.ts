import { type RawBuilder, sql } from 'kysely'
import { type CursorContext, decryptCursor, encryptCursor } from './page.ts'

/** A position in a list ordered by time, and the direction in which to read on from it. */
export interface TimelinePosition {
  from: { at: string; id: string } | null
  /** True to read towards newer rows. */
  backward: boolean
}

interface TimedRow {
  at: Date
  id: string
}

const BACKWARD_PIN = 'back'

/** Reads the position in the list from a pagination cursor. Without a cursor, the position is before the newest row. */
export function readTimelinePosition(ctx: CursorContext, cursor: string | undefined): TimelinePosition {
  if (cursor === undefined) return { from: null, backward: false }
  const { values, pin } = decryptCursor(ctx, cursor)
  return { from: { at: String(values[0]), id: String(values[1]) }, backward: pin === BACKWARD_PIN }
}

/**
 * SQL condition for the rows after the position. Compares (at, id) as one row value, so that the index on both columns finds the position
 * directly: page 1,000 costs as much as page 1.
 */
export const buildRowsAfterPositionSql = ({ from, backward }: TimelinePosition): RawBuilder<boolean> =>
  from === null
    ? sql<boolean>`true`
    : backward
      ? sql<boolean>`(at, id) > (${from.at}::timestamptz, ${from.id})`
      : sql<boolean>`(at, id) < (${from.at}::timestamptz, ${from.id})`

export const buildTimelineOrderSql = ({ backward }: TimelinePosition): RawBuilder<unknown> =>
  backward ? sql`at asc, id asc` : sql`at desc, id desc`

export interface BidirectionalPage<Row> {
  /** The rows of the page, always newest first, also when the reader pages towards newer rows. */
  rows: Row[]
  nextCursor: string | null
  previousCursor: string | null
}

/** Builds a page from rows that were read with a limit of one more than the page size, with cursors in both directions. */
export function toBidirectionalPage<Row extends TimedRow>(
  ctx: CursorContext,
  { from, backward }: TimelinePosition,
  read: readonly Row[],
  limit: number,
): BidirectionalPage<Row> {
  const more = read.length > limit
  const rows = backward ? read.slice(0, limit).toReversed() : read.slice(0, limit)
  const [first, last] = [rows[0], rows.at(-1)]
  // A reader with a cursor came from another page, so a cursor back to that page is always returned.
  const [newer, older] = backward ? [more, true] : [from !== null, more]
  const cursorAt = ({ at, id }: TimedRow, pin: string | null) => encryptCursor(ctx, { values: [at.toISOString(), id], pin })
  return {
    rows,
    nextCursor: older && last ? cursorAt(last, null) : null,
    previousCursor: newer && first ? cursorAt(first, BACKWARD_PIN) : null,
  }
}
