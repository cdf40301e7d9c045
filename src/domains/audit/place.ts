import { type RawBuilder, sql } from 'kysely'
import type { AccountContext, ClientAccess } from '../../kernel/context.ts'
import { reachWith } from '../access/reach.ts'

interface Named {
  clientCode?: string | undefined
  eventCode?: string | undefined
}

/** The one client or event that is asked about, and in which zone its days are. */
export interface LogPlace {
  client: ClientAccess | null
  eventId: string | null
  zone: string
  /** Whose zone it is. */
  of: string | null
}

interface SeenEvent {
  id: string
  clientId: string
  code: string
  name: string
  timezone: string
}

/** Of the events whose log the organizer may read, those that `rest` of the statement says. */
const seenEvents = ({ tenantId, access }: AccountContext, rest: RawBuilder<unknown>) => {
  const { clientIds, eventIds } = reachWith(access, 'clients.read')
  return sql<SeenEvent>`select id, client_id as "clientId", code, name, timezone from events
    where tenant_id = ${tenantId} and (client_id = any(${clientIds}) or id = any(${eventIds})) ${rest}`
}

/** An event's days are its own; else those of the client that is meant, or of the only one there is; over several clients they are UTC. */
export async function placeOf(ctx: AccountContext, { clientCode, eventCode }: Named): Promise<LogPlace> {
  const { clients } = ctx.access
  const named = clientCode ? (clients.find(({ code }) => code === clientCode) ?? null) : clients.length === 1 ? clients[0]! : null
  if (eventCode) {
    const { rows } = await seenEvents(ctx, sql`and code = ${eventCode}`).execute(ctx.db)
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

const MOST_EVENTS = 100

/** Events whose log the organizer may read, the newest first. */
export async function eventsToChoose(ctx: AccountContext): Promise<{ code: string; name: string }[]> {
  const { rows } = await seenEvents(ctx, sql`order by id desc limit ${MOST_EVENTS}`).execute(ctx.db)
  return rows.map(({ code, name }) => ({ code, name }))
}
