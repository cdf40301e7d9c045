import { sql } from 'kysely'
import type { Announcement, WriteAnnouncements } from '../../kernel/announce.ts'
import { getDatabaseTime } from '../../kernel/database-time.ts'
import { newId } from '../../kernel/ids.ts'
import { formatInstant } from '../../kernel/time.ts'
import { type Hearing, listenersAt } from './listeners.ts'
import { type Shown, shownObjects } from './objects.ts'
import type {} from './tables.ts'

type Ctx = Parameters<WriteAnnouncements>[0]

/** More than this a receiver is not sent at once: it is told that something changed, and reads it itself. */
const MOST_BYTES = 64 * 1024

/** As many records are read at once, and as many messages written. */
const AT_ONCE = 500

/** Writes what was announced for those who listen: after everything else of the change, so that each record is shown as it is committed. */
export const writeAnnouncements: WriteAnnouncements = async (ctx, announced) => {
  const hearing = await listenersAt(ctx, [...new Set(announced.map(placeOf))])
  if (hearing.length === 0) return
  const heard = merged(announced).flatMap((news) => {
    const by = hearing.filter((one) => one.placeId === placeOf(news) && (one.kinds.includes('*') || one.kinds.includes(news.kind)))
    return by.length === 0 ? [] : [{ news, by }]
  })
  const timestamp = formatInstant(await getDatabaseTime(ctx))
  for (let from = 0; from < heard.length; from += AT_ONCE) await write(ctx, heard.slice(from, from + AT_ONCE), timestamp)
}

const placeOf = ({ eventId, clientId }: Announcement): string => (eventId ?? clientId)!

/** What one change says several times of one record is told once, with all that differs; what was made by it was not updated by it too. */
function merged(announced: readonly Announcement[]): Announcement[] {
  const byNews = Map.groupBy(announced, ({ kind, entity, id, occurrence = '' }) => `${kind} ${entity} ${id} ${occurrence}`)
  const all = [...byNews.values()].map((some) => ({ ...some[0]!, changed: [...new Set(some.flatMap(({ changed }) => changed))] }))
  const made = new Set(all.filter(({ kind }) => kind.endsWith('.created')).map(({ entity, id }) => `${entity} ${id}`))
  return all.filter(({ kind, entity, id }) => !(kind.endsWith('.updated') && made.has(`${entity} ${id}`)))
}

interface Heard {
  news: Announcement
  by: readonly Hearing[]
}

async function write(ctx: Ctx, heard: readonly Heard[], timestamp: string): Promise<void> {
  const plain = await objectsOf(ctx, heard, false)
  const anySensitive = heard.some(({ by }) => by.some(({ sensitiveData }) => sensitiveData))
  const full = anySensitive ? await objectsOf(ctx, heard, true) : plain
  const messages = heard.flatMap(({ news, by }) => {
    const body = bodyOf(ctx, news, by[0]!, plain(news), timestamp)
    if (body === null) return []
    const fullBody = by.some(({ sensitiveData }) => sensitiveData) ? bodyOf(ctx, news, by[0]!, full(news), timestamp) : null
    return [
      {
        id: `msg_${newId()}`,
        kind: news.kind,
        eventId: news.eventId,
        clientId: news.clientId ?? null,
        body,
        fullBody: fullBody === body ? null : fullBody,
        by,
      },
    ]
  })
  if (messages.length > 0) await keep(ctx, messages)
}

async function objectsOf(ctx: Ctx, heard: readonly Heard[], sensitiveData: boolean): Promise<(news: Announcement) => Shown | null> {
  const found = new Map<string, Map<string, Shown>>()
  for (const [key, some] of Map.groupBy(heard, ({ news }) => `${placeOf(news)} ${news.entity}`)) {
    const [placeId, { entity }] = [placeOf(some[0]!.news), some[0]!.news]
    const ids = [...new Set(some.map(({ news }) => news.id))]
    found.set(key, await shownObjects(ctx.db, { tenantId: ctx.tenantId, placeId, entity, ids, sensitiveData }))
  }
  return (news) => found.get(`${placeOf(news)} ${news.entity}`)?.get(news.id) ?? null
}

/** Null: nobody is to be told. A record that is gone says so, and nothing else; of an update, somebody who sees no difference hears nothing. */
function bodyOf({ tenantCode }: Ctx, news: Announcement, at: Hearing, object: Shown | null, timestamp: string): string | null {
  const { kind, entity, id } = news
  if (object?.isTestData || (object === null && !kind.endsWith('.deleted'))) return null
  const changed = object === null ? [] : news.changed.filter((field) => field in object)
  if (kind.endsWith('.updated') && changed.length === 0) return null
  const { clientCode, eventCode } = at
  const place = { entity, id, tenantCode, clientCode, eventCode, revision: object?.revision ?? null, changed, ...news.more }
  const body = JSON.stringify({ type: kind, timestamp, data: { ...place, object } })
  if (Buffer.byteLength(body) <= MOST_BYTES) return body
  return JSON.stringify({ type: kind, timestamp, data: { ...place, object: null, truncated: true } })
}

interface Message {
  id: string
  kind: string
  eventId: string | null
  clientId?: string | null
  body: string
  fullBody: string | null
  by: readonly Pick<Hearing, 'endpointId'>[]
}

/** Messages and their deliveries, in two statements however many there are. */
export async function keep({ db, tenantId }: Pick<Ctx, 'db' | 'tenantId'>, messages: readonly Message[]): Promise<void> {
  await db
    .insertInto('webhook_messages')
    .values(
      messages.map(({ id, kind, eventId, clientId, body, fullBody }) => ({
        tenant_id: tenantId,
        id,
        kind,
        event_id: eventId,
        client_id: clientId ?? null,
        body,
        full_body: fullBody,
      })),
    )
    .execute()
  const pairs = messages.flatMap(({ id, kind, by }) => by.map(({ endpointId }) => ({ endpointId, id, kind })))
  await sql`
    insert into webhook_deliveries (tenant_id, endpoint_id, message_id, kind)
    select ${tenantId}, p.endpoint, p.message, p.kind
    from unnest(${pairs.map(({ endpointId }) => endpointId)}::text[], ${pairs.map(({ id }) => id)}::text[], ${pairs.map(({ kind }) => kind)}::text[])
      as p(endpoint, message, kind)`.execute(db)
}
