import { sql } from 'kysely'
import type { WebhookAnnouncement, WriteWebhookDeliveries } from '../../kernel/announce.ts'
import { getDatabaseTime } from '../../kernel/database-time.ts'
import { newId } from '../../kernel/ids.ts'
import { splitIntoInsertBatches } from '../../kernel/insert-batches.ts'
import { formatInstant } from '../../kernel/time.ts'
import { type SubscribedEndpoint, listSubscribedEndpoints } from './listening-endpoints.ts'
import { type WebhookObject, readWebhookObjects } from './objects.ts'

type Ctx = Parameters<WriteWebhookDeliveries>[0]

/** The maximum size of a message body. A larger record is left out of the message, and the receiver has to read it over REST. */
const MAX_BODY_BYTES = 64 * 1024

/** The number of records per query, and of messages per insert. */
const BATCH_SIZE = 500

/**
 * Writes the announced changes as messages to the listening endpoints. This runs at the end of the transaction, so that each message
 * contains the record as committed.
 */
export const writeWebhookMessages: WriteWebhookDeliveries = async (ctx, announced) => {
  const listening = await listSubscribedEndpoints(ctx, [...new Set(announced.map(scopeIdOf))])
  if (listening.length === 0) return
  const pending = mergeAnnouncements(announced).flatMap((news) => {
    const by = listening.filter((one) => one.placeId === scopeIdOf(news) && (one.kinds.includes('*') || one.kinds.includes(news.kind)))
    return by.length === 0 ? [] : [{ news, by }]
  })
  const timestamp = formatInstant(await getDatabaseTime(ctx))
  for (let from = 0; from < pending.length; from += BATCH_SIZE) await writeBatch(ctx, pending.slice(from, from + BATCH_SIZE), timestamp)
}

const scopeIdOf = ({ eventId, clientId }: WebhookAnnouncement): string => (eventId ?? clientId)!

/** Merges repeated changes of one record to one message, and drops updates of a record that was created in the same transaction. */
function mergeAnnouncements(announced: readonly WebhookAnnouncement[]): WebhookAnnouncement[] {
  const byNews = Map.groupBy(announced, ({ kind, entity, id, occurrence = '' }) => `${kind} ${entity} ${id} ${occurrence}`)
  const all = [...byNews.values()].map((some) => ({ ...some[0]!, changed: [...new Set(some.flatMap(({ changed }) => changed))] }))
  const made = new Set(all.filter(({ kind }) => kind.endsWith('.created')).map(({ entity, id }) => `${entity} ${id}`))
  return all.filter(({ kind, entity, id }) => !(kind.endsWith('.updated') && made.has(`${entity} ${id}`)))
}

interface PendingMessage {
  news: WebhookAnnouncement
  by: readonly SubscribedEndpoint[]
}

async function writeBatch(ctx: Ctx, pending: readonly PendingMessage[], timestamp: string): Promise<void> {
  const plain = await readMessageObjects(ctx, pending, false)
  const anySensitive = pending.some(({ by }) => by.some(({ sensitiveData }) => sensitiveData))
  const full = anySensitive ? await readMessageObjects(ctx, pending, true) : plain
  const messages = pending.flatMap(({ news, by }) => {
    const body = buildBody(ctx, news, by[0]!, plain(news), timestamp)
    if (body === null) return []
    const fullBody = by.some(({ sensitiveData }) => sensitiveData) ? buildBody(ctx, news, by[0]!, full(news), timestamp) : null
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
  if (messages.length > 0) await insertWebhookMessages(ctx, messages)
}

async function readMessageObjects(
  ctx: Ctx,
  pending: readonly PendingMessage[],
  sensitiveData: boolean,
): Promise<(news: WebhookAnnouncement) => WebhookObject | null> {
  const found = new Map<string, Map<string, WebhookObject>>()
  for (const [key, some] of Map.groupBy(pending, ({ news }) => `${scopeIdOf(news)} ${news.entity}`)) {
    const [placeId, { entity }] = [scopeIdOf(some[0]!.news), some[0]!.news]
    const ids = [...new Set(some.map(({ news }) => news.id))]
    found.set(key, await readWebhookObjects(ctx.db, { tenantId: ctx.tenantId, placeId, entity, ids, sensitiveData }))
  }
  return (news) => found.get(`${scopeIdOf(news)} ${news.entity}`)?.get(news.id) ?? null
}

/**
 * Builds the body of a webhook message. Returns null if no message is sent: for test data, for an update without visible differences, and
 * for a record that is missing but was not deleted.
 */
function buildBody(
  { tenantCode }: Ctx,
  news: WebhookAnnouncement,
  at: SubscribedEndpoint,
  object: WebhookObject | null,
  timestamp: string,
): string | null {
  const { kind, entity, id } = news
  if (object?.isTestData || (object === null && !kind.endsWith('.deleted') && !news.removed)) return null
  const changed = object === null ? [] : news.changed.filter((field) => field in object)
  if (kind.endsWith('.updated') && object !== null && changed.length === 0) return null
  const { clientCode, eventCode } = at
  const fields = { entity, id, tenantCode, clientCode, eventCode, revision: object?.revision ?? null, changed, ...news.more }
  const body = JSON.stringify({ type: kind, timestamp, data: { ...fields, object } })
  if (Buffer.byteLength(body) <= MAX_BODY_BYTES) return body
  return JSON.stringify({ type: kind, timestamp, data: { ...fields, object: null, truncated: true } })
}

interface Message {
  id: string
  kind: string
  eventId: string | null
  clientId?: string | null
  body: string
  fullBody: string | null
  by: readonly Pick<SubscribedEndpoint, 'endpointId'>[]
}

export async function insertWebhookMessages({ db, tenantId }: Pick<Ctx, 'db' | 'tenantId'>, messages: readonly Message[]): Promise<void> {
  const rows = messages.map(({ id, kind, eventId, clientId, body, fullBody }) => ({
    tenant_id: tenantId,
    id,
    kind,
    event_id: eventId,
    client_id: clientId ?? null,
    body,
    full_body: fullBody,
  }))
  for (const part of splitIntoInsertBatches(rows)) await db.insertInto('webhook_messages').values(part).execute()
  const pairs = messages.flatMap(({ id, kind, by }) => by.map(({ endpointId }) => ({ endpointId, id, kind })))
  await sql`
    insert into webhook_deliveries (tenant_id, endpoint_id, message_id, kind)
    select ${tenantId}, p.endpoint, p.message, p.kind
    from unnest(${pairs.map(({ endpointId }) => endpointId)}::text[], ${pairs.map(({ id }) => id)}::text[], ${pairs.map(({ kind }) => kind)}::text[])
      as p(endpoint, message, kind)`.execute(db)
}
