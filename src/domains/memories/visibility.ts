import { type RawBuilder, sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { permissionsOf } from '../../kernel/permissions.ts'

export const ASSISTANT_MEMORY_SCOPES = ['client', 'event', 'all'] as const

export interface AssistantMemoryFilter {
  scope?: (typeof ASSISTANT_MEMORY_SCOPES)[number] | undefined
  /** Only memories with all of these tags match. */
  tags?: readonly string[] | undefined
}

/** SQL condition for the memories that the caller may see at this event. Event staff do not see the client's memories. */
export function isVisibleAssistantMemory(ctx: EventContext, { scope = 'all', tags = [] }: AssistantMemoryFilter): RawBuilder<boolean> {
  const ofClient = scope !== 'event' && permissionsOf(ctx.client.roles).has('events.read')
  const ofEvent = scope !== 'client'
  const asked = tags.map((tag) => tag.toLowerCase())
  return sql<boolean>`(memories.tenant_id = ${ctx.tenantId} and memories.client_id = ${ctx.client.id}
    and case when memories.event_id is null then ${ofClient}::boolean else ${ofEvent}::boolean and memories.event_id = ${ctx.event.id} end
    and (memories.expires_at is null or memories.expires_at > lanyard_now()) and memories.tags @> ${asked}::text[])`
}
