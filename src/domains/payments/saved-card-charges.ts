import { sql } from 'kysely'
import type { z } from 'zod'
import type { CardCharge } from '../../kernel/cards.ts'
import type { EventContext } from '../../kernel/context.ts'
import { newId } from '../../kernel/ids.ts'
import { askOutside, type Outside, RefusedOutside } from '../../kernel/outside-calls.ts'
import { type ChargeCall, chargeKind, type Known, known, type Purpose } from './charge-kinds.ts'
import type { ChargeRow } from './charges.ts'
import { processorNamed } from './processor.ts'
import type { SavedCardRow } from './saved-cards.ts'

/** Charges a card that somebody left, while they are away. A card is charged once however often the processor has to be asked. */
export const defineCharge = <More extends z.ZodRawShape>(purpose: Purpose<More>): ChargeCall<More> => chargeKind(ask, purpose)

interface NewCharge {
  participantId: string
  entryId?: string | null
  isTestData: boolean
  /** As readers find it. */
  purpose: string
  amount: number
  currency: string
  card: SavedCardRow
}

/** Writes down that a card is to be charged, in the caller's transaction; the processor is asked when that is kept, and never before. */
export async function beginCharge<More extends z.ZodRawShape>(
  ctx: EventContext,
  kind: ChargeCall<More>,
  charge: NewCharge,
  more: z.output<z.ZodObject<More>>,
): Promise<void> {
  const id = newId()
  const { callId } = await askOutside(ctx, kind, { chargeId: id, more }, { eventId: ctx.event.id }, { here: true })
  await ctx.db
    .insertInto('charges')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id,
      participant_id: charge.participantId,
      entry_id: charge.entryId ?? null,
      is_test_data: charge.isTestData,
      purpose: charge.purpose,
      amount: charge.amount,
      currency: charge.currency,
      provider: charge.card.provider,
      card_id: charge.card.id,
      call_id: callId,
    })
    .execute()
}

async function ask({ cards, signal, look }: Outside<'event'>, chargeId: string): Promise<Known> {
  const { provider, ageSeconds, at, ...charge } = await look((ctx) => noteTry(ctx, chargeId))
  const processor = processorNamed({ cards }, provider)
  // A key that the processor may have forgotten is not used again: it would charge a second time.
  if (ageSeconds >= processor.keySeconds) return known(await processor.fetch({ id: chargeId, checkoutRef: null, at }, signal))
  return known(await processor.chargeSaved(charge, signal))
}

async function noteTry(ctx: EventContext, chargeId: string): Promise<CardCharge & { provider: string; ageSeconds: number; at: Date }> {
  const { rows } = await sql<ChargeRow & { ageSeconds: number; at: Date; customer_ref: string; method_ref: string }>`
    update charges c set attempts = c.attempts + 1, status = case when c.attempts > 0 and c.status = 'pending' then 'unknown' else c.status end
    from saved_cards s
    where c.tenant_id = ${ctx.tenantId} and c.event_id = ${ctx.event.id} and c.id = ${chargeId}
      and s.tenant_id = c.tenant_id and s.event_id = c.event_id and s.id = c.card_id
    returning c.*, extract(epoch from lanyard_now() - c.created_at)::float8 as "ageSeconds", lanyard_now() as at,
      s.customer_ref, s.method_ref`.execute(ctx.db)
  const [charge] = rows
  if (!charge) throw new RefusedOutside('The charge was removed')
  return {
    key: `charge:${charge.id}`,
    chargeId: charge.id,
    amount: charge.amount,
    currency: charge.currency,
    card: { customerRef: charge.customer_ref, methodRef: charge.method_ref },
    description: `${ctx.event.name}: ${charge.purpose}`,
    isTestData: charge.is_test_data,
    provider: charge.provider,
    ageSeconds: charge.ageSeconds,
    at: charge.at,
  }
}
