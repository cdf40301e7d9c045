import { newId } from '../../src/kernel/ids.ts'
import type { EventHandle, OrganizerHandle, ClientHandle, World } from './world.ts'

interface NewMemory {
  at: ClientHandle | EventHandle
  by: Pick<OrganizerHandle, 'userId'>
  title?: string
  text?: string
  tags?: readonly string[]
  pinned?: boolean
  /** Days from now until the memory expires; a negative number means expired. */
  expiresInDays?: number
}

/** Stores a memory (a note for assistants) of the event, or of the client if `at` has no event. Returns its id. */
export async function storeMemory(
  world: World,
  { at, by, title = 'A note', text = title, tags = [], pinned = false, expiresInDays }: NewMemory,
) {
  const id = newId()
  await world.database.pool.query(
    `insert into memories (tenant_id, id, client_id, event_id, title, body, tags, pinned, created_by, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, lanyard_now() + make_interval(days => $10::int))`,
    [at.tenantId, id, at.clientId, 'eventId' in at ? at.eventId : null, title, text, tags, pinned, by.userId, expiresInDays ?? null],
  )
  return id
}

/** Stores custom instructions for assistants with the revision that the given number of edits produces. */
export async function storeInstructions(
  world: World,
  { at, by, text }: { at: ClientHandle | EventHandle; by: Pick<OrganizerHandle, 'userId'>; text: string },
) {
  await world.database.pool.query(
    `insert into custom_instructions (tenant_id, id, client_id, event_id, body, updated_by) values ($1, $2, $3, $4, $5, $6)
     on conflict (tenant_id, client_id, event_id) do update set body = excluded.body, updated_by = excluded.updated_by`,
    [at.tenantId, newId(), at.clientId, 'eventId' in at ? at.eventId : null, text, by.userId],
  )
}
