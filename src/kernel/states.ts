import type { Kysely } from 'kysely'
import { announce, type AnnouncementKind, type AnnouncementScope } from './announce.ts'
import { type AuditDraft, recordChange } from './audit.ts'
import type { Db } from './columns.ts'
import { AppError, conflict } from './errors.ts'

export interface States<S extends string> {
  /** `table.column`, which the architecture test compares with the CHECK constraint of that column. */
  readonly column: string
  readonly noun: string
  readonly initial: S
  readonly all: readonly S[]
  /** States without a next state. */
  readonly terminal: readonly S[]
  readonly announced: Announced<S> | undefined
  can: (from: S, to: S) => boolean
  /** Returns `to`, or throws an error that lists the allowed states. */
  move: (from: S, to: S) => S
}

interface Announced<S extends string> {
  /** The REST API's name of the entity, in the singular. */
  entity: string
  kinds: Partial<Record<S, AnnouncementKind>>
}

interface Definition<S extends string> {
  column: string
  /** Completes "This … is": `block request`. */
  noun: string
  initial: NoInfer<S>
  moves: Record<S, readonly NoInfer<S>[]>
  /** `conflict` where concurrent callers are the usual cause. */
  refusal?: 'conflict' | 'precondition_failed'
  announced?: Announced<NoInfer<S>>
}

/** The table of states of one status column. Staying in a state is a move too and must be listed. */
export function states<S extends string>({ column, noun, initial, moves, refusal = 'precondition_failed', announced }: Definition<S>): States<S> {
  const all = Object.keys(moves) as S[]
  const next = (from: S): readonly S[] => (Object.hasOwn(moves, from) ? moves[from] : [])
  const can = (from: S, to: S) => next(from).includes(to)

  return {
    column,
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

interface Move<S extends string> {
  id: string
  from: S
  to: S
  /** The kind of record in the audit log. */
  kind: string
  isTestData: boolean
  /** Further columns to set. */
  columns?: Readonly<Record<string, unknown>>
}

/** Moves one record of the event to another state: checks the move, updates the row, records it in the audit log and announces it. */
export async function moveRecord<S extends string>(ctx: MoveContext, machine: States<S>, { id, from, to, kind, isTestData, columns }: Move<S>): Promise<void> {
  const status = machine.move(from, to)
  const [table, column] = machine.column.split('.') as [string, string]
  const { numUpdatedRows } = await (ctx.db as unknown as Kysely<Record<string, Record<string, unknown>>>)
    .updateTable(table)
    .set({ ...columns, [column]: status })
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', '=', id)
    .where(column, '=', from)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) throw conflict(`This ${machine.noun} was changed concurrently. Read it again and repeat the call.`)
  recordChange(ctx, { kind, id, before: { [column]: from }, after: { [column]: status } })
  const announcement = machine.announced?.kinds[status]
  if (announcement) announce(ctx, { kind: announcement, entity: machine.announced!.entity, id, changed: [column], isTestData })
}
