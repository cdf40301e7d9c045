import { toOneLine, count, DEFAULT_LIMIT, list, object, untrustedText } from './args.ts'

/** A kind of import error: the common cause, the number of errors, and the rows in which the first of them occurred. */
export type ErrorKind<Cause> = Cause & { count: number; rows: number[] }

type CauseOf<Row> = Omit<Row, 'row' | 'value'>

const MAX_SHOWN = 100
const MAX_SHOWN_PER_KIND = 3
const MAX_KINDS = 50
const MAX_LINES_PER_KIND = 20

/** Adds each error to its kind, and the first errors of each kind to `shown`. Errors that differ only in row and value are of one kind. */
export function collectErrorsByKind<Row extends { row: number; value?: unknown }>(
  { kinds, shown }: { kinds: ErrorKind<CauseOf<Row>>[]; shown: Row[] },
  errors: readonly Row[],
): void {
  const keyOf = (cause: object) => JSON.stringify(Object.entries(cause).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  const byKey = new Map(kinds.map((kind) => [keyOf({ ...kind, count: undefined, rows: undefined }), kind]))
  for (const error of errors) {
    const { row, value: _value, ...cause } = error
    const key = keyOf({ ...cause, count: undefined, rows: undefined })
    let kind = byKey.get(key)
    if (!kind && kinds.length < MAX_KINDS) {
      kinds.push((kind = { ...cause, count: 0, rows: [] }))
      byKey.set(key, kind)
    }
    if (!kind) continue
    kind.count++
    if (kind.rows.length < MAX_LINES_PER_KIND) kind.rows.push(row)
    if (kind.count <= MAX_SHOWN_PER_KIND && shown.length < MAX_SHOWN) shown.push(error)
  }
}

/** Groups the errors of an import by kind. A short list is shown in full, a longer one with the first few errors of each kind. */
export function groupErrorsByKind<Row extends { row: number; value?: unknown }>(errors: readonly Row[]) {
  const grouped: { kinds: ErrorKind<CauseOf<Row>>[]; shown: Row[] } = { kinds: [], shown: [] }
  const sorted = errors.toSorted((a, b) => a.row - b.row)
  collectErrorsByKind(grouped, sorted)
  return { errorKinds: grouped.kinds, shown: sorted.length <= DEFAULT_LIMIT ? sorted : grouped.shown }
}

/** The schema of the result field that lists the kinds of errors. Errors of one kind have the same message and the same `cause` fields. */
export const errorKindListSchema = (cause: Record<string, ReturnType<typeof untrustedText>> = {}) =>
  toOneLine(
    list(object({ ...cause, message: untrustedText(), count: count(), rows: list(count()) }), MAX_KINDS),
    `${[...Object.keys(cause), 'message'].join(', ')}, count, rows[] (first line numbers)`,
  )
