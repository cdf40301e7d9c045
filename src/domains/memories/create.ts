import type { Db } from '../../kernel/columns.ts'
import { newId } from '../../kernel/ids.ts'

/**
 * Creates memories (notes for assistants) and instructions outside of a request: for the first start of an installation and for the demo.
 */

interface NewText {
  tenantId: number
  clientId: string
  /** The event that the memory or instruction is about; null for the whole client. */
  eventId: string | null
  userId: string
}

export async function createAssistantMemory(
  db: Db,
  { tenantId, clientId, eventId, userId }: NewText,
  memory: { title: string; text: string; tags: readonly string[]; pinned?: boolean },
): Promise<void> {
  const { title, text, tags, pinned = false } = memory
  const place = { tenant_id: tenantId, client_id: clientId, event_id: eventId }
  await db
    .insertInto('memories')
    .values({ ...place, id: newId(), title, body: text, tags: [...tags], pinned, created_by: userId })
    .execute()
}

export async function addCustomInstructions(db: Db, { tenantId, clientId, eventId, userId }: NewText, text: string): Promise<void> {
  await db
    .insertInto('custom_instructions')
    .values({ tenant_id: tenantId, id: newId(), client_id: clientId, event_id: eventId, body: text, updated_by: userId })
    .execute()
}
