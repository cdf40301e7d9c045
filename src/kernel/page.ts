import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { bytesOf } from './bytes.ts'
import type { Tables } from './columns.ts'
import type { Context } from './context.ts'
import { invalidArguments } from './errors.ts'

/** One part of a total order. The last part must be unique, or rows could be lost between pages. */
export interface OrderPart<Row> {
  by: RawBuilder<unknown>
  type: 'text' | 'integer' | 'bigint' | 'date' | 'timestamptz'
  descending?: boolean
  of: (row: Row) => string | number
}

export interface Page<Item> {
  items: Item[]
  nextCursor: string | null
  truncated?: true
  note?: string
}

/** Results stay under what assistants can take in: a page that would be larger ends early, with a cursor for the rest. */
const MAX_BYTES = 72_000

interface Paging {
  limit: number
  cursor?: string | undefined
}

/**
 * Reads one page by keyset: rows strictly after the cursor's, in order. Nothing is skipped or repeated when rows come and go,
 * and page 1,000 costs what page 1 does.
 */
export async function readPage<Row, Item, Names extends keyof Tables>(
  ctx: CursorContext,
  request: Paging,
  read: {
    rows: SelectQueryBuilder<Tables, Names, Row>
    order: readonly OrderPart<Row>[]
    shape: (row: Row) => Item
    /** Carried in the cursor, for orders that depend on when the first page was read. */
    pin?: string
  },
): Promise<Page<Item>> {
  const after = request.cursor === undefined ? null : openCursor(ctx, request.cursor)
  let query = after ? read.rows.where(isAfter(read.order, after.values)) : read.rows
  for (const part of read.order) query = query.orderBy(part.by, part.descending ? 'desc' : 'asc')
  const rows = (await query.limit(request.limit + 1).execute()) as Row[]
  const items = readable(rows.slice(0, request.limit).map(read.shape))
  const last = rows[items.length - 1]
  const cut = items.length < Math.min(rows.length, request.limit)
  return {
    items,
    nextCursor:
      last && items.length < rows.length
        ? sealCursor(ctx, { values: read.order.map((part) => part.of(last)), pin: read.pin ?? null })
        : null,
    ...(cut ? { truncated: true as const, note: CUT } : {}),
  }
}

/**
 * One page of a list that every call makes anew, such as the matches in one document. Its cursor is a position, which means something
 * only in the list it was given with: `pin` names that, and another one is refused with what `moved` says.
 */
export function pageOf<Row, Item>(
  ctx: CursorContext,
  request: Paging,
  read: { rows: readonly Row[]; shape: (row: Row) => Item; pin: string; moved: string },
): Page<Item> {
  const after = request.cursor === undefined ? null : openCursor(ctx, request.cursor)
  if (after && after.pin !== read.pin) throw invalidArguments([{ path: 'cursor', message: read.moved }])
  const start = Number(after?.values[0] ?? 0)
  const wanted = read.rows.slice(start, start + request.limit)
  const items = readable(wanted.map(read.shape))
  const end = start + items.length
  return {
    items,
    nextCursor: end < read.rows.length ? sealCursor(ctx, { values: [end], pin: read.pin }) : null,
    ...(items.length < wanted.length ? { truncated: true as const, note: CUT } : {}),
  }
}

/** What the first page was read with, when this is a later one. */
export const pinOf = (ctx: CursorContext, request: Paging): string | null =>
  request.cursor === undefined ? null : openCursor(ctx, request.cursor).pin

const CUT = 'The page was cut to stay readable: pass nextCursor as cursor for the rest, or narrow the filters.'

function readable<Item>(items: Item[]): Item[] {
  let bytes = 0
  const end = items.findIndex((item, i) => (bytes += bytesOf(item) + 1) > MAX_BYTES && i > 0)
  return end < 0 ? items : items.slice(0, end)
}

export type CursorContext = Pick<Context, 'keys' | 'cursorScope'>

interface Cursor {
  values: (string | number)[]
  pin: string | null
}

/** Sealed to the caller, the tool and the filters: elsewhere, or altered, it does not open. */
export const sealCursor = (ctx: CursorContext, cursor: Cursor): string =>
  ctx.keys.seal('cursor', JSON.stringify([cursor.values, cursor.pin]), ctx.cursorScope)

export function openCursor(ctx: CursorContext, sealed: string): Cursor {
  const opened = ctx.keys.open('cursor', sealed, ctx.cursorScope)
  if (!opened)
    throw invalidArguments([
      { path: 'cursor', message: 'is not a nextCursor of this list with these filters; leave it out to start from page one' },
    ])
  const [values, pin] = JSON.parse(opened.toString('utf8')) as [Cursor['values'], Cursor['pin']]
  return { values, pin }
}

function isAfter<Row>(order: readonly OrderPart<Row>[], values: Cursor['values']): RawBuilder<boolean> {
  return order.reduceRight<RawBuilder<boolean>>(
    (rest, part, i) => {
      const value = sql`${values[i]}::${sql.raw(part.type)}`
      const beyond = part.descending ? sql<boolean>`${part.by} < ${value}` : sql<boolean>`${part.by} > ${value}`
      return sql<boolean>`(${beyond} or (${part.by} = ${value} and ${rest}))`
    },
    sql<boolean>`false`,
  )
}
