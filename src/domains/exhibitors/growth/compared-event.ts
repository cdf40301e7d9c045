import { sql } from 'kysely'
import type { EventContext } from '../../../kernel/context.ts'
import { invalidArguments, notFound, preconditionFailed } from '../../../kernel/errors.ts'
import { listPermittedScopes } from '../../access/reach.ts'

export interface ComparedEvent {
  id: string
  code: string
  name: string
  startsOn: string
  endsOn: string
  timezone: string
  currency: string
}

/** Returns the event of the tool call, with its dates. */
export async function readCurrentEvent(ctx: EventContext): Promise<ComparedEvent> {
  return (await selectEvents(ctx, sql`e.id = ${ctx.event.id}`))[0]!
}

/**
 * Finds the event to compare with among the events of the client that the organizer may read: the named event, otherwise the earlier event
 * with the most organizations in common.
 */
export async function findComparedEvent(ctx: EventContext, own: ComparedEvent, code: string | undefined): Promise<ComparedEvent> {
  if (code === own.code) throw invalidArguments([{ path: 'compareEventCode', message: 'is the same event' }])
  const readable = canReadEvents(ctx)
  if (code !== undefined) {
    const [named] = await selectEvents(ctx, sql`e.code = ${code} and ${readable}`)
    if (!named) throw notFound(`No event ${code} of this client — list_my_events shows the events you can work on`)
    return named
  }
  const shared = sql`(select count(distinct c.organization_id) from companies c
    join companies n on n.tenant_id = c.tenant_id and n.event_id = ${ctx.event.id} and n.organization_id = c.organization_id
    where c.tenant_id = e.tenant_id and c.event_id = e.id and not c.is_test_data and not n.is_test_data)`
  const [nearest] = await selectEvents(ctx, sql`e.starts_on < ${own.startsOn} and ${readable}`, sql`${shared} desc, e.starts_on desc, e.id`)
  if (!nearest) throw preconditionFailed('Nothing to compare — pass compareEventCode')
  return nearest
}

/**
 * Lists the client's events before this one, except the compared event. A new exhibitor that exhibited at one of them counts as returning.
 */
export const listEarlierEvents = (ctx: EventContext, own: ComparedEvent, compared: ComparedEvent): Promise<ComparedEvent[]> =>
  selectEvents(ctx, sql`e.starts_on < ${own.startsOn} and e.id <> ${compared.id}`)

/** SQL condition: the user may read exhibitors of the event `e`, as a member of the client or as staff of the event. */
function canReadEvents(ctx: EventContext) {
  const { clientIds, eventIds } = listPermittedScopes(ctx.access, 'exhibitors.read')
  return sql`(e.client_id = any(${clientIds}) or e.id = any(${eventIds}))`
}

async function selectEvents(ctx: EventContext, where: ReturnType<typeof sql>, order = sql`e.id`): Promise<ComparedEvent[]> {
  const { rows } = await sql<ComparedEvent>`
    select e.id, e.code, e.name, e.starts_on::text as "startsOn", e.ends_on::text as "endsOn", e.timezone, e.currency from events e
    where e.tenant_id = ${ctx.tenantId} and e.client_id = ${ctx.client.id} and ${where} order by ${order}`.execute(ctx.db)
  return rows
}
