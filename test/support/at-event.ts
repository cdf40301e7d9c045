import type { Db } from '../../src/kernel/columns.ts'
import type { EventContext } from '../../src/kernel/context.ts'
import { newContext } from '../../src/kernel/new-context.ts'
import { permissionsOf } from '../../src/kernel/permissions.ts'
import type { EventHandle, World } from './world.ts'

/** Builds the context (caller, event, database) that domain functions expect, for tests of rules that no tool exposes. */
export async function createEventContextAt(world: World, place: EventHandle, db: Db = world.database.write): Promise<EventContext> {
  const { tenantId, tenantCode, clientId, clientCode, eventId, eventCode } = place
  const event = await db
    .selectFrom('events')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', '=', eventId)
    .executeTakeFirstOrThrow()
  const actor = { kind: 'operator' as const, id: 'test', name: 'Test', app: { id: null, name: 'Test' } }
  const client = { id: clientId, code: clientCode, name: clientCode, active: true, aiAssistantsAllowed: true, roles: ['admin' as const] }
  return {
    ...newContext(world.services, { tenantId, tenantCode, actor, cursorScope: 'test' }, db),
    access: { clients: [client], staff: [] },
    client,
    permissions: permissionsOf(['admin']),
    event: {
      id: eventId,
      code: eventCode,
      name: event.name,
      status: event.status,
      timezone: event.timezone,
      currency: event.currency,
      testMode: event.test_mode,
    },
  }
}
