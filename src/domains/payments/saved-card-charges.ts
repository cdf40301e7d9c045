import { sql } from 'kysely'
import type { z } from 'zod'
import type { CardCharge } from '../../kernel/cards.ts'
import type { EventContext } from '../../kernel/context.ts'
import { newId } from '../../kernel/ids.ts'
import { scheduleExternalCall, type ExternalCallContext, ExternalCallRejectedError } from '../../kernel/external-calls.ts'
import {
  type ExternalChargeCall,
  defineChargeKind,
  type FinalChargeResult,
  toFinalChargeResult,
  type ChargeKindDefinition,
} from './charge-kinds.ts'
import type { ChargeRow } from './charges.ts'
import { getPaymentProcessorByName, usesSandboxProcessor } from './processor.ts'
import type { SavedCardRow } from './saved-cards.ts'
import { changeStateOfRows } from '../../kernel/states.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { CHARGE_STATES } from './states.ts'

/** Defines a kind of charge to a saved card, without the participant being present. The idempotency key prevents a double charge. */
export const defineSavedCardCharge = <More extends z.ZodRawShape>(purpose: ChargeKindDefinition<More>): ExternalChargeCall<More> =>
  defineChargeKind(chargeSavedCard, purpose)

interface NewSavedCardCharge {
  participantId: string
  entryId?: string | null
  /** The hotel waiting list entry whose deposit is charged. The attempts for an entry are numbered from 1. */
  hotelEntry?: { id: string; attempt: number }
  isTestData: boolean
  /** The purpose of the charge as shown to organizers. */
  purpose: string
  amount: number
  currency: string
  card: SavedCardRow
}

/**
 * Schedules the charge in the caller's transaction; the processor is called only after the commit. With `here`, the caller calls the
 * processor after the commit, and the worker does so only if that fails. Returns the id of the charge.
 */
export async function startSavedCardCharge<More extends z.ZodRawShape>(
  ctx: EventContext,
  kind: ExternalChargeCall<More>,
  charge: NewSavedCardCharge,
  more: z.output<z.ZodObject<More>>,
  { here = true } = {},
): Promise<string> {
  const id = newId()
  const { callId } = await scheduleExternalCall(ctx, kind, { chargeId: id, more }, { eventId: ctx.event.id }, { here })
  await ctx.db
    .insertInto('charges')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id,
      participant_id: charge.participantId,
      entry_id: charge.entryId ?? null,
      hotel_entry_id: charge.hotelEntry?.id ?? null,
      attempt: charge.hotelEntry?.attempt ?? null,
      is_test_data: charge.isTestData,
      purpose: charge.purpose,
      amount: charge.amount,
      currency: charge.currency,
      provider: charge.card.provider,
      card_id: charge.card.id,
      call_id: callId,
    })
    .execute()
  return id
}

async function chargeSavedCard(
  { cards, signal, inTransaction }: ExternalCallContext<'event'>,
  chargeId: string,
): Promise<FinalChargeResult> {
  const { provider, ageSeconds, at, ...charge } = await inTransaction((ctx) => recordAttempt(ctx, chargeId))
  const processor = getPaymentProcessorByName({ cards }, provider)
  // The processor may have forgotten the idempotency key, so a retry could charge twice. Only the charge's status is queried.
  if (ageSeconds >= processor.keyLifetimeSeconds)
    return toFinalChargeResult(await processor.fetch({ id: chargeId, checkoutRef: null, at }, signal))
  return toFinalChargeResult(await processor.chargeSaved(charge, signal))
}

async function recordAttempt(
  ctx: EventContext,
  chargeId: string,
): Promise<CardCharge & { provider: string; ageSeconds: number; at: Date }> {
  // A repeated attempt means that the earlier outcome is unknown, so the charge is `unknown` until the processor answers.
  await changeStateOfRows(eventDb(ctx), CHARGE_STATES, 'unknown').where('id', '=', chargeId).where('attempts', '>', 0).execute()
  const { rows } = await sql<ChargeRow & { ageSeconds: number; at: Date; customer_ref: string; method_ref: string }>`
    update charges c set attempts = c.attempts + 1
    from saved_cards s
    where c.tenant_id = ${ctx.tenantId} and c.event_id = ${ctx.event.id} and c.id = ${chargeId}
      and s.tenant_id = c.tenant_id and s.event_id = c.event_id and s.id = c.card_id
    returning c.*, extract(epoch from lanyard_now() - c.created_at)::float8 as "ageSeconds", lanyard_now() as at,
      s.customer_ref, s.method_ref`.execute(ctx.db)
  const [charge] = rows
  if (!charge) throw new ExternalCallRejectedError('The charge was removed')
  return {
    key: `charge:${charge.id}`,
    chargeId: charge.id,
    amount: charge.amount,
    currency: charge.currency,
    card: { customerRef: charge.customer_ref, methodRef: charge.method_ref },
    description: `${ctx.event.name}: ${charge.purpose}`,
    isTestData: usesSandboxProcessor(ctx.event, charge.is_test_data),
    provider: charge.provider,
    ageSeconds: charge.ageSeconds,
    at: charge.at,
  }
}
