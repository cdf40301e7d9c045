import type { Kysely } from 'kysely'
import { announce, type AnnouncementKind, type AnnouncementScope } from './announce.ts'
import { type AuditDraft, recordChange } from './audit.ts'
import type { Db } from './columns.ts'
import { AppError, conflict } from './errors.ts'

export interface States<S extends string> {
  /** The status column as `table.column`. The architecture test compares the states with the CHECK constraint of that column. */
  readonly column: string
  /** The kind of record in the audit log and the REST API. */
  readonly kind: string
  readonly noun: string
  readonly initial: S
  readonly all: readonly [S, ...S[]]
  /** States without a next state. */
  readonly terminal: readonly S[]
  readonly announced: Announced<S>
  can: (from: S, to: S) => boolean
  /** Checks a change of state. Returns `to`, or throws an error that lists the allowed states. */
  move: (from: S, to: S) => S
}

/** The kind of announcement to webhook subscribers when a record enters a state. */
type Announced<S extends string> = Partial<Record<S, AnnouncementKind>>

interface Definition<S extends string> {
  column: string
  kind: string
  /** The kind of record as error messages name it, such as `block request` in "This block request is …". */
  noun: string
  initial: NoInfer<S>
  moves: Record<S, readonly NoInfer<S>[]>
  /** The error code of a refused change; `conflict` where concurrent callers are the usual cause. */
  refusal?: 'conflict' | 'precondition_failed'
  announced?: Announced<NoInfer<S>>
}

/** Declares the allowed state changes of one status column. Staying in a state is a change too and must be listed. */
export function defineStates<S extends string>({
  column,
  kind,
  noun,
  initial,
  moves,
  refusal = 'precondition_failed',
  announced = {},
}: Definition<S>): States<S> {
  const all = Object.keys(moves) as [S, ...S[]]
  const next = (from: S): readonly S[] => (Object.hasOwn(moves, from) ? moves[from] : [])
  const can = (from: S, to: S) => next(from).includes(to)

  return {
    column,
    kind,
    noun,
    initial,
    all,
    terminal: all.filter((state) => next(state).length === 0),
    announced,
    can,
    move(from, to) {
      if (can(from, to)) return to
      throw new AppError(
        refusal,
        from === to ? `This ${noun} is already ${to}` : `This ${noun} is ${from} and cannot become ${to} — ${describeNext(next(from))}`,
      )
    },
  }
}

function describeNext(next: readonly string[]): string {
  if (next.length === 0) return 'nothing follows that state'
  return `it can only become ${next.join(', ').replace(/, ([^,]*)$/, ' or $1')}`
}

type MoveContext = AnnouncementScope & { db: Db; tenantId: number; audit: AuditDraft }

interface Move {
  /** Further columns to set together with the status. */
  columns?: Readonly<Record<string, unknown>>
  /** Further values for the audit log. */
  audited?: Readonly<Record<string, unknown>>
  /** Further changed fields for the announcement. */
  changed?: readonly string[]
}

/** Moves one record of the event to another state: checks the move, updates the row, records it in the audit log and announces it. */
export async function moveRecord<S extends string, Row extends { id: string; is_test_data?: boolean }>(
  ctx: MoveContext,
  machine: States<S>,
  row: Row,
  to: S,
  { columns = {}, audited = {}, changed = [] }: Move = {},
): Promise<Row> {
  const [table, column] = machine.column.split('.') as [string, string]
  const from = row[column as keyof Row] as S
  const status = machine.move(from, to)
  const moved = (await (ctx.db as unknown as Kysely<Record<string, Record<string, unknown>>>)
    .updateTable(table)
    .set({ ...columns, [column]: status })
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', '=', row.id)
    .where(column, '=', from)
    .returningAll()
    .executeTakeFirst()) as Row | undefined
  if (!moved) throw conflict(`This ${machine.noun} was changed concurrently. Read it again and repeat the call.`)
  recordChange(ctx, { kind: machine.kind, id: row.id, before: { [column]: from }, after: { [column]: status, ...audited } })
  const kind = machine.announced[status]
  if (kind) announce(ctx, { kind, entity: machine.kind, id: row.id, changed: [column, ...changed], isTestData: row.is_test_data ?? false })
  return moved
}
