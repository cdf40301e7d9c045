import type { ClientContext } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'

/** What something is written about: the whole client, or one of its events. */
export interface Place {
  eventId: string | null
  eventCode: string | null
  name: string
  timezone: string
}

/** By the event's code; without one it is the client. An event of another client is none. */
export async function getPlace(ctx: ClientContext, eventCode: string | null): Promise<Place> {
  if (eventCode === null) {
    const { timezone } = await ctx.db
      .selectFrom('clients')
      .select('default_timezone as timezone')
      .where('tenant_id', '=', ctx.tenantId)
      .where('id', '=', ctx.client.id)
      .executeTakeFirstOrThrow()
    return { eventId: null, eventCode: null, name: ctx.client.name, timezone }
  }
  const event = await ctx.db
    .selectFrom('events')
    .select(['id as eventId', 'code as eventCode', 'name', 'timezone'])
    .where('tenant_id', '=', ctx.tenantId)
    .where('client_id', '=', ctx.client.id)
    .where('code', '=', eventCode)
    .executeTakeFirst()
  if (!event) throw notFound(`No event ${eventCode} at ${ctx.client.name}`)
  return event
}
