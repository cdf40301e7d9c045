import { count, day, flag, list, object, oneOf, text } from '../../kernel/args.ts'
import { recordChange } from '../../kernel/audit.ts'
import type { ClientContext, EventContext } from '../../kernel/context.ts'
import { conflict } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { tenantDb } from '../../kernel/scoped-db.ts'
import { formatInstant } from '../../kernel/time.ts'
import { EVENT_STATUSES } from '../tenancy/events.ts'
import { type EventRow, insertEventRow } from '../tenancy/lock-event.ts'
import { EVENT_STATES } from '../tenancy/states.ts'

/** An event as returned by tools: the columns of the event row, not its configuration. */
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
  updatedAt: formatInstant(row.updated_at),
})

export const getEventRow = (ctx: EventContext): Promise<EventRow> =>
  tenantDb(ctx).selectFrom('events').selectAll().where('id', '=', ctx.event.id).executeTakeFirstOrThrow()

export type NewEvent = Pick<EventRow, 'code' | 'name' | 'starts_on' | 'ends_on' | 'timezone' | 'currency' | 'locale' | 'locales'>

/** Inserts a new event of the client as a draft in test mode, and returns its context. */
export async function insertEvent(ctx: ClientContext, event: NewEvent): Promise<EventContext> {
  const row = await insertEventRow(ctx.db, {
    ...event,
    tenant_id: ctx.tenantId,
    id: newId(),
    client_id: ctx.client.id,
    status: EVENT_STATES.initial,
    test_mode: true,
  })
  if (!row) throw conflict(`Client ${ctx.client.code} already has an event ${event.code} — pass another code`)
  const { clientCode: _client, revision: _revision, updatedAt: _updatedAt, ...after } = toEventRecord(ctx.client.code, row)
  recordChange(ctx, { kind: 'event', id: row.id, after })
  const { id, code, name, status, timezone, currency } = row
  return { ...ctx, event: { id, code, name, status, timezone, currency, testMode: row.test_mode } }
}
