import { type RawBuilder, sql } from 'kysely'
import { type CursorContext, openCursor, sealCursor } from './page.ts'

/** Where a list that goes by time is read on: from a row of it, to the older or to the newer ones. */
export interface Stretch {
  from: { at: string; id: string } | null
  /** To the newer ones. */
  back: boolean
}

interface TimedRow {
  at: Date
  id: string
}

const BACK = 'back'

/** The stretch that a cursor names; without one the newest rows. */
export function stretchOf(ctx: CursorContext, cursor: string | undefined): Stretch {
  if (cursor === undefined) return { from: null, back: false }
  const { values, pin } = openCursor(ctx, cursor)
  return { from: { at: String(values[0]), id: String(values[1]) }, back: pin === BACK }
}

/** Compared as one row, so that an index over both columns leads straight to the place: page 1,000 costs what page 1 does. */
export const isWithin = ({ from, back }: Stretch): RawBuilder<boolean> =>
  from === null
    ? sql<boolean>`true`
    : back
      ? sql<boolean>`(at, id) > (${from.at}::timestamptz, ${from.id})`
      : sql<boolean>`(at, id) < (${from.at}::timestamptz, ${from.id})`

export const inOrderOf = ({ back }: Stretch): RawBuilder<unknown> => (back ? sql`at asc, id asc` : sql`at desc, id desc`)

export interface PageBothWays<Row> {
  /** Newest first, whichever way they were read. */
  rows: Row[]
  nextCursor: string | null
  previousCursor: string | null
}

/** A page of what was read along a stretch, one row more than it takes, with the ways on from its ends. */
export function pageAlong<Row extends TimedRow>(
  ctx: CursorContext,
  { from, back }: Stretch,
  read: readonly Row[],
  limit: number,
): PageBothWays<Row> {
  const more = read.length > limit
  const rows = back ? read.slice(0, limit).toReversed() : read.slice(0, limit)
  const [first, last] = [rows[0], rows.at(-1)]
  // Whoever came from one side finds it there again.
  const [newer, older] = back ? [more, true] : [from !== null, more]
  const cursorAt = ({ at, id }: TimedRow, pin: string | null) => sealCursor(ctx, { values: [at.toISOString(), id], pin })
  return {
    rows,
    nextCursor: older && last ? cursorAt(last, null) : null,
    previousCursor: newer && first ? cursorAt(first, BACK) : null,
  }
}
