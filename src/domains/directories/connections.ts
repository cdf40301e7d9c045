import type { Selectable } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import type { EventContext } from '../../kernel/context.ts'
import { editableRecord, editRecord, fieldsOf } from '../../kernel/edit-record.ts'
import { notFound } from '../../kernel/errors.ts'
import { CONNECTION_STATES } from './life.ts'
import type { ConnectionsTable, ConnectionStatus } from './tables.ts'

export type ConnectionRow = Selectable<ConnectionsTable>

/** As much of a context as says at which event, and by which connection to the database. */
export interface EventPlace {
  tenantId: number
  event: { id: string }
  db: Db
}

/** The base of every query on the connections of the event. */
const ofEvent = (ctx: EventPlace) =>
  ctx.db.selectFrom('directory_connections').where('tenant_id', '=', ctx.tenantId).where('event_id', '=', ctx.event.id)

/** People name a connection by its code, programs also by its id. */
export async function findConnection(ctx: EventPlace, named: string): Promise<ConnectionRow | null> {
  const rows = await ofEvent(ctx)
    .selectAll()
    .where((eb) => eb.or([eb('code', '=', named), eb('id', '=', named)]))
    .execute()
  return rows.find(({ id }) => id === named) ?? rows[0] ?? null
}

type NamedPlace = EventPlace & { event: { id: string; code: string } }

export async function getConnection(ctx: NamedPlace, named: string): Promise<ConnectionRow> {
  const row = await findConnection(ctx, named)
  if (row) return row
  throw notFound(`No directory connection ${named} at this event — list_directory_connections shows them`, {
    fix: { tool: 'list_directory_connections', arguments: {}, here: true },
  })
}

/** For a change: nobody else changes the row until the transaction ends. */
export async function lockConnection(ctx: NamedPlace, named: string): Promise<ConnectionRow> {
  const { id } = await getConnection(ctx, named)
  const row = await ofEvent(ctx).selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst()
  return row ?? getConnection(ctx, named)
}

export const CONNECTION = editableRecord({
  table: 'directory_connections',
  kind: 'directory connection',
  noun: 'Directory connection',
  name: ({ code }) => code,
  key: ['tenant_id', 'event_id', 'id'],
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

/** A connection that comes or goes, as the audit log tells it. */
export const toldOf = (row: ConnectionRow) => ({ code: row.code, preset: row.preset, ...fieldsOf(CONNECTION, row) })

/** Goes with every change of the status: whatever the circuit had counted belongs to the state that is left. */
export const CLOSED_CIRCUIT = { failures: 0, opened_at: null, next_try_at: null }

/** Moves a locked connection to another state. */
export async function saveStatus(ctx: EventContext, row: ConnectionRow, status: ConnectionStatus): Promise<ConnectionStatus> {
  if (status === row.status) return status
  await editRecord(ctx, CONNECTION, row, { status: CONNECTION_STATES.move(row.status, status) }, CLOSED_CIRCUIT)
  return status
}
