import type { Db } from '../../kernel/columns.ts'
import { newId } from '../../kernel/ids.ts'
import type {} from './tables.ts'

/** Memories and instructions from outside a request: first run and demo. */

interface Written {
  tenantId: number
  clientId: string
  /** Null: about all of the client. */
  eventId: string | null
  userId: string
}

export async function addMemory(
  db: Db,
  { tenantId, clientId, eventId, userId }: Written,
  memory: { title: string; text: string; tags: readonly string[]; pinned?: boolean },
): Promise<void> {
  const { title, text, tags, pinned = false } = memory
  const place = { tenant_id: tenantId, client_id: clientId, event_id: eventId }
  await db
    .insertInto('memories')
    .values({ ...place, id: newId(), title, body: text, tags: [...tags], pinned, created_by: userId })
    .execute()
}

export async function addInstructions(db: Db, { tenantId, clientId, eventId, userId }: Written, text: string): Promise<void> {
  await db
    .insertInto('custom_instructions')
    .values({ tenant_id: tenantId, id: newId(), client_id: clientId, event_id: eventId, body: text, updated_by: userId })
    .execute()
}
