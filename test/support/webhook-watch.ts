import { REST_ENTITIES, type EntityName } from '../../src/domains/entities/catalogue.ts'
import { readEntityObjectsById } from '../../src/domains/entities/represent.ts'
import type { EventContext } from '../../src/kernel/context.ts'
import { commitChange } from '../../src/kernel/commit-change.ts'
import { createEventContextAt } from './at-event.ts'
import type { EventHandle, World } from './world.ts'

export interface WebhookMessage {
  type: string
  data: { entity: string; id: string; changed: string[]; object: any }
}

type RestRecords = Map<string, Record<string, unknown>>

export interface WebhookWatch {
  /** Runs a change with webhook messages as a tool call does, for functions that no tool calls yet. */
  change: <T>(run: (ctx: EventContext) => Promise<T>) => Promise<T>
  /** Runs a change and returns its webhook messages, and the records whose REST representation changed without a message. */
  watchChange: <T>(happens: () => Promise<T>) => Promise<{ of: T; messages: WebhookMessage[]; unannounced: string[] }>
  /** Runs a change and returns its webhook messages. Fails if a record changed without a message. */
  expectMessages: (happens: () => Promise<unknown>) => Promise<WebhookMessage[]>
}

/** An endpoint that subscribes to all webhook events of an event. */
export function watchWebhooksAt(world: World, place: EventHandle): WebhookWatch {
  const { pool, transact } = world.database
  const watched: WebhookWatch['watchChange'] = async (happens) => {
    await pool.query('delete from webhook_messages')
    const before = await readRestRecords(world, place)
    const of = await happens()
    const after = await readRestRecords(world, place)
    const { rows } = await pool.query<{ body: string }>('select body from webhook_messages order by id')
    const messages = rows.map(({ body }): WebhookMessage => JSON.parse(body))
    return { of, messages, unannounced: findUnannounced(before, after, messages) }
  }
  return {
    watchChange: watched,
    change: (run) =>
      transact(async (db) => {
        const ctx = await createEventContextAt(world, place, db)
        return commitChange({ ...world.database, transact: (within) => within(db) }, { name: 'story' }, () => ctx, run)
      }),
    async expectMessages(happens) {
      const { messages, unannounced: silent } = await watched(happens)
      if (silent.length > 0) throw new Error(`changed without a webhook message: ${silent.join('; ')}`)
      return messages
    },
  }
}

/**
 * All REST records of an event except the event itself, which has messages only for publication and end. Contacts belong to no event and
 * only have a message for merges.
 */
async function readRestRecords({ database }: World, { tenantId, eventId }: EventHandle): Promise<RestRecords> {
  const shown: RestRecords = new Map()
  for (const { name, table } of REST_ENTITIES.filter((entity) => entity.at === 'event')) {
    const { rows } = await database.pool.query<{ id: string }>(`select id from ${table} where tenant_id = $1 and event_id = $2`, [
      tenantId,
      eventId,
    ])
    const ids = rows.map(({ id }) => id)
    const found = await readEntityObjectsById(database.write, name as EntityName, tenantId, ids, { placeId: eventId, sensitiveData: true })
    for (const [id, object] of found) if (!object['isTestData']) shown.set(`${name} ${id}`, object)
  }
  return shown
}

const STAMPS = new Set(['createdAt', 'updatedAt', 'revision'])

const differing = (was: object, is: object): string[] =>
  Object.entries(is).flatMap(([field, value]) =>
    !STAMPS.has(field) && JSON.stringify((was as Record<string, unknown>)[field]) !== JSON.stringify(value) ? [field] : [],
  )

/** Whether a room was only held and never booked. Such rooms have no webhook message. */
const isOnlyHeld = (key: string, ...states: (Record<string, unknown> | undefined)[]) =>
  key.startsWith('reservation ') && states.every((state) => state === undefined || ['held', 'expired'].includes(state['status'] as string))

/** Lists records that were added, removed or changed without a webhook message about them. */
function findUnannounced(before: RestRecords, after: RestRecords, messages: readonly WebhookMessage[]): string[] {
  const messagesByRecord = Map.groupBy(messages, ({ data: { entity, id } }) => `${entity} ${id}`)
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((key) => {
    const [was, is, own] = [before.get(key), after.get(key), messagesByRecord.get(key) ?? []]
    const fields = was && is ? differing(was, is) : [is ? 'it was added' : 'it was removed']
    if (fields.length === 0 || isOnlyHeld(key, was, is)) return []
    const said = new Set(own.flatMap(({ data }) => data.changed))
    const missing = was && is ? fields.filter((field) => !said.has(field)) : own.length > 0 ? [] : fields
    return missing.length > 0 ? [`${key}: ${missing.join(', ')}`] : []
  })
}
