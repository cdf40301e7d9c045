import type { Selectable } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import type { EventContext } from '../../kernel/context.ts'
import { defineRecord, editRecord, toRecordFieldValues } from '../../kernel/records.ts'
import { notFound } from '../../kernel/errors.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { CONNECTION_STATES } from './state-machine.ts'
import type { ConnectionsTable, ConnectionStatus } from './tables.ts'

export type ConnectionRow = Selectable<ConnectionsTable>

/** The part of an event context that database queries need: tenant, event id and database. */
export interface ConnectionQueryScope {
  tenantId: number
  event: { id: string }
  db: Db
}

const selectConnections = (ctx: ConnectionQueryScope) => eventDb(ctx).selectFrom('directory_connections')

/** Finds a connection by its code or id. If one connection has it as its code and another as its id, returns the latter. */
export async function findConnection(ctx: ConnectionQueryScope, named: string): Promise<ConnectionRow | null> {
  const rows = await selectConnections(ctx)
    .selectAll()
    .where((eb) => eb.or([eb('code', '=', named), eb('id', '=', named)]))
    .execute()
  return rows.find(({ id }) => id === named) ?? rows[0] ?? null
}

type NamedEventScope = ConnectionQueryScope & { event: { id: string; code: string } }

export async function getConnection(ctx: NamedEventScope, named: string): Promise<ConnectionRow> {
  const row = await findConnection(ctx, named)
  if (row) return row
  throw notFound(`No directory connection ${named} at this event. Use list_directory_connections to list them.`, {
    fix: { tool: 'list_directory_connections', arguments: {}, here: true },
  })
}

/** Reads a connection and locks its row until the transaction ends. */
export async function lockConnection(ctx: NamedEventScope, named: string): Promise<ConnectionRow> {
  const { id } = await getConnection(ctx, named)
  const row = await selectConnections(ctx).selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst()
  return row ?? getConnection(ctx, named)
}

export const CONNECTION_RECORD = defineRecord({
  table: 'directory_connections',
  kind: 'directory connection',
  noun: 'Directory connection',
  name: ({ code }) => code,
  primaryKey: ['tenant_id', 'event_id', 'id'],
  states: CONNECTION_STATES,
  fields: {
    name: 'name',
    baseUrl: 'base_url',
    settings: { column: 'settings', json: 'whole' },
    auth: { column: 'auth', json: 'whole' },
    bindings: { column: 'bindings', json: 'whole' },
    tagRules: { column: 'tag_rules', json: 'whole' },
    cacheMinutes: 'cache_minutes',
    timeoutMs: 'timeout_ms',
    onFailure: 'on_failure',
    status: 'status',
  },
})

/** The fields of a connection that the audit log stores when the connection is created or deleted. */
export const toConnectionAuditRecord = (row: ConnectionRow) => ({
  code: row.code,
  preset: row.preset,
  ...toRecordFieldValues(CONNECTION_RECORD, row),
})

/**
 * Columns that reset the circuit breaker. They are set with every change of the status, because failures are counted for one status only.
 */
export const CIRCUIT_BREAKER_RESET_COLUMNS = { failures: 0, opened_at: null, next_try_at: null }

export async function saveConnectionStatus(ctx: EventContext, row: ConnectionRow, status: ConnectionStatus): Promise<ConnectionStatus> {
  if (status === row.status) return status
  await editRecord(ctx, CONNECTION_RECORD, row, { status: CONNECTION_STATES.move(row.status, status) }, CIRCUIT_BREAKER_RESET_COLUMNS)
  return status
}
