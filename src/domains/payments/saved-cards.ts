import { type Selectable, sql } from 'kysely'
import { z } from 'zod'
import { recordChange } from '../../kernel/audit.ts'
import type { Tables } from '../../kernel/columns.ts'
import type { EventContext } from '../../kernel/context.ts'
import { newId } from '../../kernel/ids.ts'
import { eventDb } from '../../kernel/scoped-db.ts'

export type SavedCardRow = Selectable<Tables['saved_cards']>

export const SavedCardData = z.object({
  customerRef: z.string(),
  methodRef: z.string(),
  brand: z.string().nullable(),
  last4: z.string().nullable(),
  expires: z.string().nullable(),
})

/** Stores a card with the consent text that its owner accepted. */
export async function saveCard(
  ctx: EventContext,
  {
    participant_id,
    is_test_data,
    provider,
    consent,
  }: Pick<SavedCardRow, 'participant_id' | 'is_test_data' | 'provider'> & { consent: string },
  { customerRef, methodRef, brand, last4, expires }: z.output<typeof SavedCardData>,
): Promise<string> {
  const id = newId()
  await ctx.db
    .insertInto('saved_cards')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id,
      participant_id,
      is_test_data,
      provider,
      customer_ref: customerRef,
      method_ref: methodRef,
      brand,
      last4,
      expires,
      consent,
      consent_at: sql<Date>`lanyard_now()`,
    })
    .execute()
  recordChange(ctx, { kind: 'savedCard', id, after: { participantId: participant_id, brand, last4, consent } })
  return id
}

/** Returns the card with the latest consent to be charged; null if there is none. */
export async function findCardWithChargeConsent(
  ctx: Pick<EventContext, 'db' | 'tenantId' | 'event'>,
  { participantId, provider }: { participantId: string; provider: string },
): Promise<SavedCardRow | null> {
  const card = await eventDb(ctx)
    .selectFrom('saved_cards')
    .selectAll()
    .where('participant_id', '=', participantId)
    .where('provider', '=', provider)
    .where('consent_at', 'is not', null)
    .orderBy('consent_at', 'desc')
    .orderBy('id', 'desc')
    .executeTakeFirst()
  return card ?? null
}
