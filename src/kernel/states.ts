import type { Kysely, UpdateQueryBuilder, UpdateResult } from 'kysely'
import { announceToWebhooks, type WebhookAnnouncementKind, type WebhookAnnouncementScope } from './announce.ts'
import { type PendingAuditEntry, recordChange } from './audit.ts'
import type { Db, Tables } from './columns.ts'
import { AppError, conflict, SerializationConflict } from './errors.ts'
import type { ScopedDb } from './scoped-db.ts'

export interface StateMachine<S extends string, C extends string = string> {
  /** The status column as `table.column`. The architecture test compares the states with the CHECK constraint of that column. */
  readonly column: C
  /** The kind of record in the audit log and the REST API. */
  readonly kind: string
  readonly noun: string
  readonly initial: S
  readonly all: readonly [S, ...S[]]
  /** Final states, which a record cannot leave. */
  readonly terminal: readonly S[]
  readonly announced: Announced<S>
  can: (from: S, to: S) => boolean
  /** Returns the states from which a record can change to the given state. */
  before: (to: S) => S[]
  /** Checks a change of state. Returns the new state, or throws an error that lists the allowed ones. */
  move: <T extends S>(from: S, to: T) => T
}

/** The kind of message that webhook subscribers receive when a record enters a state. */
type Announced<S extends string> = Partial<Record<S, WebhookAnnouncementKind>>

interface Definition<S extends string, C extends string> {
  column: C
  kind: string
  /** The kind of record as error messages name it, such as `block request` in "This block request is …". */
  noun: string
  initial: NoInfer<S>
  moves: Record<S, readonly NoInfer<S>[]>
  /** The error code if a state change is refused; `conflict` if concurrent callers are the usual cause. */
  refusal?: 'conflict' | 'precondition_failed'
  announced?: Announced<NoInfer<S>>
}

/** Declares the allowed state changes of one status column. Setting a state again is also a change and must be listed. */
export function defineStateMachine<S extends string, const C extends string = string>({
  column,
  kind,
  noun,
  initial,
  moves,
  refusal = 'precondition_failed',
  announced = {},
}: Definition<S, C>): StateMachine<S, C> {
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
    before: (to) => all.filter((state) => can(state, to)),
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

type MoveContext = WebhookAnnouncementScope & { db: Db; tenantId: number; audit: PendingAuditEntry }

interface Move {
  /** Columns that are set together with the status. */
  columns?: Readonly<Record<string, unknown>>
  /** Values for the audit log in addition to the status. */
  audited?: Readonly<Record<string, unknown>>
  /** Names of changed fields for the webhook message, in addition to the status. */
  changed?: readonly string[]
  /** If a concurrent transaction changed the record first, the whole change is retried with current data instead of failing. */
  retried?: boolean
}

/** Moves one record of the event to another state: checks that this is allowed, updates the row, and audits and announces the change. */
export async function changeRecordState<S extends string, Row extends { id: string; is_test_data?: boolean }>(
  ctx: MoveContext,
  machine: StateMachine<S>,
  row: Row,
  to: S,
  { columns = {}, audited = {}, changed = [], retried = false }: Move = {},
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
  if (!moved && retried) throw new SerializationConflict(`the ${machine.noun} was changed by a concurrent transaction`)
  if (!moved) throw conflict(`This ${machine.noun} was changed concurrently. Read it again and repeat the call.`)
  recordChange(ctx, { kind: machine.kind, id: row.id, before: { [column]: from }, after: { [column]: status, ...audited } })
  const kind = machine.announced[status]
  if (kind)
    announceToWebhooks(ctx, {
      kind,
      entity: machine.kind,
      id: row.id,
      changed: [column, ...changed],
      isTestData: row.is_test_data ?? false,
    })
  return moved
}

/** Checks the new status in an update that also sets other columns, such as the edit of a record. */
export function checkStateChange(
  { column, move }: Pick<StateMachine<string>, 'column'> & { move: (from: never, to: never) => string },
  before: object,
  columns: object,
): void {
  const name = column.split('.')[1]!
  const [from, to] = [before, columns].map((row) => (row as Record<string, unknown>)[name])
  if (to !== undefined && to !== from) move(from as never, to as never)
}

type TableOf<C extends string> = C extends `${infer T extends keyof Tables}.${string}` ? T : never

/**
 * Moves all selected records to another state in one statement. The caller adds the conditions and further columns. Only records in a
 * state that allows the move are changed. For records that need no entry of their own in the audit log, and where one statement per
 * record would be too slow.
 */
export function changeStateOfRows<S extends string, C extends string>(
  scoped: ScopedDb,
  machine: StateMachine<S, C>,
  to: NoInfer<S>,
): UpdateQueryBuilder<Tables, TableOf<C>, TableOf<C>, UpdateResult> {
  const [table, column] = machine.column.split('.') as [string, string]
  return (scoped as unknown as Kysely<Record<string, Record<string, unknown>>>)
    .updateTable(table)
    .set({ [column]: to })
    .where(column, 'in', machine.before(to)) as never
}
