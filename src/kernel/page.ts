import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { DEFAULT_LIMIT } from './args.ts'
import { jsonByteLength, DEFAULT_MAX_LIST_BYTES, MAX_RESULT_LIST_BYTES } from './bytes.ts'
import type { Tables } from './columns.ts'
import type { Context } from './context.ts'
import { yieldToEventLoop } from './cooperative.ts'
import { invalidArguments } from './errors.ts'

/** One column of a sort order. The last column must be unique, or rows could be lost between pages. */
export interface SortColumn<Row> {
  by: RawBuilder<unknown>
  type: 'text' | 'integer' | 'bigint' | 'date' | 'timestamptz'
  descending?: boolean
  of: (row: Row) => string | number
}

export interface ResultPage<Item> {
  items: Item[]
  nextCursor: string | null
  truncated?: true
  note?: string
}

interface PageRequest {
  limit: number
  cursor?: string | undefined
}

/**
 * Reads one page by keyset pagination: rows strictly after the cursor, in order. No row is skipped or repeated when rows are added or
 * removed, and page 1,000 costs as much as page 1.
 */
export async function readPage<Row, Item, Names extends keyof Tables>(
  ctx: CursorContext,
  request: PageRequest,
  read: {
    rows: SelectQueryBuilder<Tables, Names, Row>
    order: readonly SortColumn<Row>[]
    shape: (row: Row) => Item
    /**
     * A value of the first page that the cursor carries to later pages, such as the time, for orders that depend on when the first page
     * was read.
     */
    pin?: string
  },
): Promise<ResultPage<Item>> {
  const after = request.cursor === undefined ? null : decryptCursor(ctx, request.cursor)
  let query = after ? read.rows.where(isAfter(read.order, after.values)) : read.rows
  for (const part of read.order) query = query.orderBy(part.by, part.descending ? 'desc' : 'asc')
  const rows = (await query.limit(request.limit + 1).execute()) as Row[]
  const items = truncatePageToByteLimit(rows.slice(0, request.limit).map(read.shape), request.limit)
  const last = rows[items.length - 1]
  const cut = items.length < Math.min(rows.length, request.limit)
  return {
    items,
    nextCursor:
      last && items.length < rows.length
        ? encryptCursor(ctx, { values: read.order.map((part) => part.of(last)), pin: read.pin ?? null })
        : null,
    ...(cut ? { truncated: true as const, note: PAGE_TRUNCATED_NOTE } : {}),
  }
}

/**
 * One page of a list that is rebuilt on every call, such as the matches in a document. Its cursor is a position, valid only in the list
 * version named by `pin`; with another pin the call fails with the message `moved`.
 */
export function paginateList<Row, Item>(
  ctx: CursorContext,
  request: PageRequest,
  read: { rows: readonly Row[]; shape: (row: Row) => Item; pin: string; moved: string },
): ResultPage<Item> {
  const start = openPosition(ctx, request.cursor, read.pin, read.moved)
  const wanted = read.rows.slice(start, start + request.limit)
  const items = truncatePageToByteLimit(wanted.map(read.shape), request.limit)
  const end = start + items.length
  return {
    items,
    nextCursor: end < read.rows.length ? encryptCursor(ctx, { values: [end], pin: read.pin }) : null,
    ...(items.length < wanted.length ? { truncated: true as const, note: PAGE_TRUNCATED_NOTE } : {}),
  }
}

/**
 * One page of a list that has no default length: without a limit, the page is as long as a result may be. Rows are shaped one by one, only
 * those of the page. `shape` may return more than the item, such as its line of text, so that it counts towards the size.
 */
export async function paginateBySize<Row, Item>(
  ctx: CursorContext,
  { limit, cursor }: { limit?: number | undefined; cursor?: string | undefined },
  { rows, shape, pin, moved }: { rows: readonly Row[]; shape: (row: Row) => Item; pin: string; moved: string },
): Promise<ResultPage<Item> & { start: number }> {
  const start = openPosition(ctx, cursor, pin, moved)
  const end = Math.min(rows.length, start + (limit ?? rows.length))
  const maxBytes = maxPageBytes(limit ?? DEFAULT_LIMIT)
  const items: Item[] = []
  for (let bytes = 0; start + items.length < end;) {
    await yieldToEventLoop()
    const item = shape(rows[start + items.length]!)
    bytes += jsonByteLength(item) + 1
    if (bytes > maxBytes && items.length > 0) break
    items.push(item)
  }
  const next = start + items.length
  return {
    start,
    items,
    nextCursor: next < rows.length ? encryptCursor(ctx, { values: [next], pin }) : null,
    ...(next < end ? { truncated: true as const } : {}),
  }
}

/** Reads the position of the next row from a pagination cursor; without a cursor, the first position. */
function openPosition(ctx: CursorContext, cursor: string | undefined, pin: string, moved: string): number {
  const after = cursor === undefined ? null : decryptCursor(ctx, cursor)
  if (after && after.pin !== pin) throw invalidArguments([{ path: 'cursor', message: moved }])
  return Number(after?.values[0] ?? 0)
}

/**
 * One page of a list that is sorted in memory, because its order depends on calculated values. `keyOf` returns the values that `compare`
 * orders by; the last one must be unique. As with `readPage`, no row is skipped or repeated when others are added or removed.
 */
export function paginateSorted<Row, Item>(
  ctx: CursorContext,
  request: PageRequest,
  read: {
    rows: readonly Row[]
    keyOf: (row: Row) => (string | number)[]
    compare: (a: readonly (string | number)[], b: readonly (string | number)[]) => number
    shape: (row: Row) => Item
  },
): ResultPage<Item> {
  const after = request.cursor === undefined ? null : decryptCursor(ctx, request.cursor).values
  const sorted = read.rows.map((row) => ({ row, key: read.keyOf(row) })).toSorted((a, b) => read.compare(a.key, b.key))
  const left = after ? sorted.filter(({ key }) => read.compare(key, after) > 0) : sorted
  const wanted = left.slice(0, request.limit)
  const items = truncatePageToByteLimit(
    wanted.map(({ row }) => read.shape(row)),
    request.limit,
  )
  return {
    items,
    nextCursor: items.length < left.length ? encryptCursor(ctx, { values: left[items.length - 1]!.key, pin: null }) : null,
    ...(items.length < wanted.length ? { truncated: true as const, note: PAGE_TRUNCATED_NOTE } : {}),
  }
}

/** Rejects a pagination cursor of another list or caller. Called first, so that this error precedes those about other arguments. */
export function verifyCursor(ctx: CursorContext, { cursor }: { cursor?: string | undefined }): void {
  if (cursor !== undefined) decryptCursor(ctx, cursor)
}

/** Returns the value that the first page stored in the pagination cursor (pin); null if the request is for the first page. */
export const readValueStoredInCursor = (ctx: CursorContext, request: PageRequest): string | null =>
  request.cursor === undefined ? null : decryptCursor(ctx, request.cursor).pin

export const PAGE_TRUNCATED_NOTE = 'The page was cut to stay readable: pass nextCursor as cursor for the rest, or narrow the filters.'

/** Returns the maximum size of a page, which is larger if the caller asks for more rows than the default. */
const maxPageBytes = (limit: number) => (limit > DEFAULT_LIMIT ? MAX_RESULT_LIST_BYTES : DEFAULT_MAX_LIST_BYTES)

/** Returns the items that fit into one page of a result in which other lists already take `usedBytes`. */
export function truncatePageToByteLimit<Item>(items: Item[], limit: number, usedBytes = 0): Item[] {
  const maxBytes = maxPageBytes(limit)
  let bytes = usedBytes
  const end = items.findIndex((item, i) => (bytes += jsonByteLength(item) + 1) > maxBytes && (i > 0 || usedBytes > 0))
  return end < 0 ? items : items.slice(0, end)
}

export type CursorContext = Pick<Context, 'keys' | 'cursorScope'>

interface Cursor {
  values: (string | number)[]
  pin: string | null
}

/**
 * Encrypts a cursor and binds it to the caller, the tool and the filters. A cursor that was altered or is used elsewhere cannot be
 * decrypted.
 */
export const encryptCursor = (ctx: CursorContext, cursor: Cursor): string =>
  ctx.keys.seal('cursor', JSON.stringify([cursor.values, cursor.pin]), ctx.cursorScope)

export function decryptCursor(ctx: CursorContext, sealed: string): Cursor {
  const opened = ctx.keys.open('cursor', sealed, ctx.cursorScope)
  if (!opened)
    throw invalidArguments([
      { path: 'cursor', message: 'is not a nextCursor of this list with these filters; leave it out to start from page one' },
    ])
  const [values, pin] = JSON.parse(opened.toString('utf8')) as [Cursor['values'], Cursor['pin']]
  return { values, pin }
}

function isAfter<Row>(order: readonly SortColumn<Row>[], values: Cursor['values']): RawBuilder<boolean> {
  return order.reduceRight<RawBuilder<boolean>>(
    (rest, part, i) => {
      const value = sql`${values[i]}::${sql.raw(part.type)}`
      const beyond = part.descending ? sql<boolean>`${part.by} < ${value}` : sql<boolean>`${part.by} > ${value}`
      return sql<boolean>`(${beyond} or (${part.by} = ${value} and ${rest}))`
    },
    sql<boolean>`false`,
  )
}
