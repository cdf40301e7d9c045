import type { Selectable } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { Db } from '../../kernel/columns.ts'
import type { EventContext } from '../../kernel/context.ts'
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
  const row = await ofEvent(ctx).selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
  return row ?? getConnection(ctx, named)
}

/** Moves a locked connection to another state. Whatever its circuit had counted belongs to the state it leaves. */
export async function saveStatus(ctx: EventContext, row: ConnectionRow, status: ConnectionStatus): Promise<ConnectionStatus> {
  if (status === row.status) return status
  await ctx.db
    .updateTable('directory_connections')
    .set({ status: CONNECTION_STATES.move(row.status, status), failures: 0, opened_at: null, next_try_at: null })
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', '=', row.id)
    .execute()
  recordChange(ctx, { kind: 'directory connection', id: row.id, before: { status: row.status }, after: { status } })
  return status
}
