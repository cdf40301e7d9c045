import type { ClientContext } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { tenantDb } from '../../kernel/scoped-db.ts'

/** The subject of a memory: the whole client, or one of its events. */
export interface AssistantMemorySubject {
  eventId: string | null
  eventCode: string | null
  name: string
  timezone: string
}

/** Finds the event with this code; without a code, the client as a whole. Events of other clients are reported as unknown. */
export async function getAssistantMemorySubject(ctx: ClientContext, eventCode: string | null): Promise<AssistantMemorySubject> {
  if (eventCode === null) {
    const { timezone } = await tenantDb(ctx)
      .selectFrom('clients')
      .select('default_timezone as timezone')
      .where('id', '=', ctx.client.id)
      .executeTakeFirstOrThrow()
    return { eventId: null, eventCode: null, name: ctx.client.name, timezone }
  }
  const event = await tenantDb(ctx)
    .selectFrom('events')
    .select(['id as eventId', 'code as eventCode', 'name', 'timezone'])
    .where('client_id', '=', ctx.client.id)
    .where('code', '=', eventCode)
    .executeTakeFirst()
  if (!event) throw notFound(`No event ${eventCode} at ${ctx.client.name}`)
  return event
}
