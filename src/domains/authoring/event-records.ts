import { count, day, flag, list, object, oneOf, text } from '../../kernel/args.ts'
import { recordChange } from '../../kernel/audit.ts'
import type { ClientContext, EventContext } from '../../kernel/context.ts'
import { conflict } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { states } from '../../kernel/states.ts'
import { toInstant } from '../../kernel/time.ts'
import { EVENT_STATUSES, type EventStatus } from '../tenancy/events.ts'
import type { EventRow } from '../tenancy/lock-event.ts'

/** An event as its tools return it: what lives on the event itself, not in its configuration. */
export const EventRecord = object({
  clientCode: text(),
  code: text(),
  name: text(),
  status: oneOf(EVENT_STATUSES),
  startsOn: day(),
  endsOn: day(),
  timezone: text(),
  currency: text(),
  locale: text(),
  locales: list(text()),
  testMode: flag(),
  publishedVersion: count().nullable(),
  revision: count(),
  updatedAt: text(),
})

export const toEventRecord = (clientCode: string, row: EventRow) => ({
  clientCode,
  code: row.code,
  name: row.name,
  status: row.status,
  startsOn: row.starts_on,
  endsOn: row.ends_on,
  timezone: row.timezone,
  currency: row.currency,
  locale: row.locale,
  locales: row.locales,
  testMode: row.test_mode,
  publishedVersion: row.published_version,
  revision: row.revision,
  updatedAt: toInstant(row.updated_at),
})

/** Publishing makes an event public, archiving ends it for good. */
export const EVENT_STATES = states<EventStatus>({
  noun: 'event',
  initial: 'draft',
  moves: { draft: ['published', 'archived'], published: ['archived'], archived: [] },
})

export const getEventRow = (ctx: EventContext): Promise<EventRow> =>
  ctx.db.selectFrom('events').selectAll().where('tenant_id', '=', ctx.tenantId).where('id', '=', ctx.event.id).executeTakeFirstOrThrow()

export type NewEvent = Pick<EventRow, 'code' | 'name' | 'starts_on' | 'ends_on' | 'timezone' | 'currency' | 'locale' | 'locales'>

/** A new event of the client, a draft in test mode, and the context of everything that is then done at it. */
export async function foundEvent(ctx: ClientContext, event: NewEvent): Promise<EventContext> {
  const row = await ctx.db
    .insertInto('events')
    .values({
      ...event,
      tenant_id: ctx.tenantId,
      id: newId(),
      client_id: ctx.client.id,
      status: EVENT_STATES.initial,
      test_mode: true,
      city: null,
      country: null,
      published_version: null,
    })
    .onConflict((c) => c.columns(['tenant_id', 'client_id', 'code']).doNothing())
    .returningAll()
    .executeTakeFirst()
  if (!row) throw conflict(`Client ${ctx.client.code} has an event ${event.code} already — pass another code`)
  const { clientCode: _client, revision: _revision, updatedAt: _updatedAt, ...after } = toEventRecord(ctx.client.code, row)
  recordChange(ctx, { kind: 'event', id: row.id, after })
  const { id, code, name, status, timezone, currency } = row
  return { ...ctx, event: { id, code, name, status, timezone, currency, testMode: row.test_mode } }
}
