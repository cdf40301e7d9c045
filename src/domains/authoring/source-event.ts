import { sql } from 'kysely'
import type { EventContext, EventSummaryRow } from '../../kernel/context.ts'
import { AppError, notFound } from '../../kernel/errors.ts'
import { permissionsOf } from '../../kernel/permissions.ts'
import { listPermittedScopes } from '../access/reach.ts'

/**
 * Finds another event whose configuration the organizer may read. Events without access cause the same error as missing ones. Without a
 * client code, an event of the same client takes precedence.
 */
export async function getConfigSourceEvent(
  ctx: EventContext,
  { eventCode, clientCode }: { eventCode: string; clientCode?: string | undefined },
): Promise<EventContext> {
  const reaches = [listPermittedScopes(ctx.access, 'events.read'), listPermittedScopes(ctx.access, 'clients.read')]
  const clientIds = reaches.flatMap((reach) => reach.clientIds)
  const eventIds = reaches.flatMap((reach) => reach.eventIds)
  const { rows } = await sql<EventSummaryRow & { clientId: string }>`
    select id, client_id as "clientId", code, name, status, timezone, currency, test_mode as "testMode" from events
    where tenant_id = ${ctx.tenantId} and code = ${eventCode} and (client_id = any(${clientIds}) or id = any(${eventIds}))`.execute(ctx.db)
  const reached = rows.flatMap(({ clientId, ...event }) => {
    const client = ctx.access.clients.find(({ id }) => id === clientId)
    return client?.active && client.aiAssistantsAllowed && (clientCode === undefined || client.code === clientCode)
      ? [{ client, event }]
      : []
  })
  const [found] = reached.length === 1 ? reached : reached.filter(({ client }) => client.id === ctx.client.id)
  if (!found && reached.length > 1) {
    throw new AppError('ambiguous', 'Ambiguous event code — pass fromClientCode', {
      candidates: reached.map(({ client }) => ({ fromEventCode: eventCode, fromClientCode: client.code })),
      fix: { ask: `which client is meant: ${reached.map(({ client }) => client.code).join(', ')}` },
    })
  }
  if (!found) {
    const where = clientCode === undefined ? '' : ` at client ${clientCode}`
    throw notFound(`No event ${eventCode}${where} — list_my_events shows the events you can work on`, {
      fix: { tool: 'list_my_events', arguments: {} },
    })
  }
  return { ...ctx, ...found, permissions: permissionsOf(found.client.roles) }
}
