import type { Selectable } from 'kysely'
import type { Tables } from '../../kernel/columns.ts'
import type { EventContext } from '../../kernel/context.ts'
import type {} from './tables.ts'

export type SavedCardRow = Selectable<Tables['saved_cards']>

/** The card that somebody last agreed to have charged while they are away; null where they never did. */
export async function findConsentedCard(
  { db, tenantId, event }: Pick<EventContext, 'db' | 'tenantId' | 'event'>,
  { participantId, provider }: { participantId: string; provider: string },
): Promise<SavedCardRow | null> {
  const card = await db
    .selectFrom('saved_cards')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .where('participant_id', '=', participantId)
    .where('provider', '=', provider)
    .where('consent_at', 'is not', null)
    .orderBy('consent_at', 'desc')
    .orderBy('id', 'desc')
    .executeTakeFirst()
  return card ?? null
}
