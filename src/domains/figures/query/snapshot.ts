import { sql } from 'kysely'
import type { Db } from '../../../kernel/columns.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { getCurrencyDecimals } from '../../../kernel/money.ts'
import { readDictionary } from '../dictionary/custom-fields.ts'
import { createComputedValueReader } from './computed-values.ts'
import { openQuerySnapshot } from './limit-queries.ts'
import type { DataDictionary } from './plan.ts'
import type { QueryCaller } from './rights.ts'
import type { QueriedEvent, QueryScope } from './scope.ts'

/** A consistent database snapshot, with the permissions of a report's caller. All numbers of one result come from one snapshot. */
export interface QuerySnapshot {
  /** The connection on which the snapshot's transaction is open. */
  db: Db
  ctx: EventContext
  scope: QueryScope
  event: QueriedEvent
  dictionary: DataDictionary
  reader: QueryCaller
  /** Set if the rows of a query are only counted: they are then read without sorting and contain only their id. */
  onlyCounts?: true
}

/** Opens a snapshot of an event with the permissions of the caller; errors about missing permissions name `tool`. */
export function runInSnapshot<T>(ctx: EventContext, tool: string, run: (snapshot: QuerySnapshot) => Promise<T>): Promise<T> {
  const { tenantId, event, queryLimits } = ctx
  const { timeoutMs, temporaryFilesMb } = queryLimits
  return openQuerySnapshot(ctx, { tenantId, eventId: event.id, timeoutMs, temporaryFilesMb, within: ctx.db }, async (db) => {
    const { facts, asOf, version } = await readFacts(db, tenantId, event.id)
    const readComputedValues = createComputedValueReader({ ...ctx, db })
    const scope: QueryScope = {
      tenantId,
      eventIds: [event.id],
      event: facts,
      decimals: getCurrencyDecimals(facts.currency),
      asOf,
      readComputedValues,
    }
    const dictionary = await readDictionary({ ...ctx, db }, { version })
    return run({ db, ctx: { ...ctx, db }, scope, event: facts, dictionary, reader: { permissions: ctx.permissions, tool } })
  })
}

/** Reads the time of the rows that a snapshot shows, which on a replica may be in the past. */
export async function readSnapshotTime(db: Db): Promise<Date> {
  const { rows } = await sql<{ asOf: Date }>`select lanyard_as_of() as "asOf"`.execute(db)
  return rows[0]!.asOf
}

/** Restricts a snapshot by row-level security to the rows of one event; null allows all events of the tenant. */
export const limitSnapshotToEvent = ({ db }: Pick<QuerySnapshot, 'db'>, eventId: string | null) =>
  sql`select set_config('lanyard.report_event', ${eventId ?? ''}, true)`.execute(db)

interface SnapshotFacts {
  facts: QueriedEvent
  asOf: Date
  /** Number of the live configuration version; null before the first publication. */
  version: number | null
}

async function readFacts(db: Db, tenantId: number, eventId: string): Promise<SnapshotFacts> {
  const { rows } = await sql<QueriedEvent & Omit<SnapshotFacts, 'facts'>>`
    select id, code, name, client_id as "clientId", timezone, currency, starts_on as "startsOn", ends_on as "endsOn",
      published_version as version, lanyard_as_of() as "asOf"
    from events where tenant_id = ${tenantId} and id = ${eventId}`.execute(db)
  const { asOf, version, ...facts } = rows[0]!
  return { facts, asOf, version }
}
