import { type RawBuilder, sql } from 'kysely'
import type { AccountContext, ClientAccess } from '../../kernel/context.ts'
import { listPermittedScopes } from '../access/reach.ts'

interface LogScopeFilter {
  clientCode?: string | undefined
  eventCode?: string | undefined
}

/** The client or event to which the shown audit log is limited, and the time zone in which days are shown. */
export interface AuditLogScope {
  client: ClientAccess | null
  eventId: string | null
  zone: string
  /** Name of the client or event whose time zone is used. */
  of: string | null
}

interface ReadableEvent {
  id: string
  clientId: string
  code: string
  name: string
  timezone: string
}

/** SQL that selects the events whose audit log the organizer may read. `rest` is added at the end of the statement. */
const selectReadableEvents = ({ tenantId, access }: AccountContext, rest: RawBuilder<unknown>) => {
  const { clientIds, eventIds } = listPermittedScopes(access, 'clients.read')
  return sql<ReadableEvent>`select id, client_id as "clientId", code, name, timezone from events
    where tenant_id = ${tenantId} and (client_id = any(${clientIds}) or id = any(${eventIds})) ${rest}`
}

/** Reads the client and event that the log is limited to. The time zone is that of the event, otherwise of the client, otherwise UTC. */
export async function readAuditLogScope(ctx: AccountContext, { clientCode, eventCode }: LogScopeFilter): Promise<AuditLogScope> {
  const { clients } = ctx.access
  const named = clientCode ? (clients.find(({ code }) => code === clientCode) ?? null) : clients.length === 1 ? clients[0]! : null
  if (eventCode) {
    const { rows } = await selectReadableEvents(ctx, sql`and code = ${eventCode}`).execute(ctx.db)
    const found = rows.filter(({ clientId }) => !clientCode || clientId === named?.id)
    const [event] = found
    if (event && found.length === 1) {
      const client = clients.find(({ id }) => id === event.clientId) ?? null
      return { client, eventId: event.id, zone: event.timezone, of: event.name }
    }
  }
  if (named === null) return { client: null, eventId: null, zone: 'UTC', of: null }
  const { rows } = await sql<{ zone: string }>`select default_timezone as zone from clients
    where tenant_id = ${ctx.tenantId} and id = ${named.id}`.execute(ctx.db)
  return { client: named, eventId: null, zone: rows[0]?.zone ?? 'UTC', of: named.name }
}

const MAX_EVENT_CHOICES = 100

/** Lists the events whose log the organizer may read, newest first. */
export async function listEventsWithReadableLog(ctx: AccountContext): Promise<{ code: string; name: string }[]> {
  const { rows } = await selectReadableEvents(ctx, sql`order by id desc limit ${MAX_EVENT_CHOICES}`).execute(ctx.db)
  return rows.map(({ code, name }) => ({ code, name }))
}
