import { z } from 'zod'
import type { ChargeResult } from '../../kernel/cards.ts'
import type { EventContext } from '../../kernel/context.ts'
import {
  scheduleExternalCall,
  defineExternalCall,
  ExternalCallPendingError,
  type ExternalCallContext,
  type ExternalCall,
  ExternalCallRejectedError,
} from '../../kernel/external-calls.ts'
import {
  type ChargeRow,
  isOpenCharge,
  formatChargeProblems,
  updateCharge,
  lockCharge,
  formatChargeAmount,
  markChargeOutcomeUnknown,
  type PaidCharge,
} from './charges.ts'
import { runIsolatedInSavepoint } from '../../kernel/savepoint.ts'
import { SavedCardData, saveCard } from './saved-cards.ts'
import { processorReversalsCall } from './processor-reversals.ts'

const Answer = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('succeeded'),
    providerRef: z.string(),
    amount: z.number(),
    currency: z.string(),
    card: SavedCardData.nullish(),
    touched: z.boolean().optional(),
  }),
  z.object({ status: z.literal('failed'), failureCode: z.string(), providerRef: z.string().nullable() }),
])
export type FinalChargeResult = z.output<typeof Answer>

/** How long requests to an unreachable payment processor are retried. */
const MAX_CHARGE_SECONDS = 30 * 24 * 3600
/**
 * Polling interval for open card charges that are older than two minutes. Before that, the page on which the participant waits polls the
 * status.
 */
export const PROCESSOR_POLL_SECONDS = 60

export interface ChargeKindDefinition<More extends z.ZodRawShape> {
  kind: string
  /** Additional data of this kind of charge, stored until the payment processor has responded. */
  more: More
  /** Delivers what the charge paid for. If it returns a `flag`, an organizer is asked to check the charge. */
  paid: (
    ctx: EventContext,
    paid: PaidCharge,
    more: z.output<z.ZodObject<More>>,
  ) => Promise<{ orderId: string; invoiceId: string | null; flag?: string | null }>
  failed: (ctx: EventContext, charge: ChargeRow, more: z.output<z.ZodObject<More>>, failureCode: string) => Promise<void>
}

export type ExternalChargeCall<More extends z.ZodRawShape> = ExternalCall<
  { chargeId: string; more: z.output<z.ZodObject<More>> },
  FinalChargeResult,
  'event'
>

/** Queries the payment processor once. Throws if the outcome of the charge is not known yet. */
export type FetchChargeOutcome = (outside: ExternalCallContext<'event'>, chargeId: string) => Promise<FinalChargeResult>

/**
 * Defines a kind of card charge with its effects on success and failure. The payment processor is polled until the outcome is known; the
 * effects are applied once, in one transaction.
 */
export const defineChargeKind = <More extends z.ZodRawShape>(
  ask: FetchChargeOutcome,
  { kind, more, paid, failed }: ChargeKindDefinition<More>,
): ExternalChargeCall<More> =>
  defineExternalCall({
    kind,
    scope: 'event',
    input: z.object({ chargeId: z.string(), more: z.object(more) }) as unknown as ExternalChargeCall<More>['input'],
    answer: Answer,
    keyLifetimeSeconds: MAX_CHARGE_SECONDS,
    maxRetrySeconds: PROCESSOR_POLL_SECONDS,
    call: (outside, { chargeId }) => queryOnce(ask, outside, chargeId),
    async settle(ctx, input, answer) {
      const charge = await lockCharge(ctx, input.chargeId)
      // Test data may be deleted before the payment processor responds.
      if (!charge) return { status: 'gone' }
      if (!isOpenCharge(charge)) return { status: charge.status }
      if (answer.status === 'failed') return failCharge(ctx, charge, answer, () => failed(ctx, charge, input.more, answer.failureCode))
      if (answer.currency !== charge.currency) return flagCurrency(ctx, charge, answer)
      const { orderId, invoiceId, flag = null } = await paid(ctx, { charge, ...answer }, input.more)
      const unsaved = await saveConsentedCard(ctx, charge, answer.card)
      const other =
        answer.amount === charge.amount ? null : `${charge.provider} took ${formatChargeAmount(answer)}, not ${formatChargeAmount(charge)}`
      const alert = formatChargeProblems([other ?? flag, unsaved].filter((problem) => problem !== null))
      const provider_ref = answer.providerRef
      await updateCharge(ctx, charge, { status: 'succeeded', provider_ref, order_id: orderId, invoice_id: invoiceId, flag: alert })
      // The payment was partly refunded or disputed before this response arrived, so the reversals must be fetched.
      if (answer.touched) await scheduleExternalCall(ctx, processorReversalsCall, { chargeId: charge.id }, { eventId: ctx.event.id })
      return { status: 'succeeded', ...(alert === null ? {} : { alert }) }
    },
    async stuck(ctx, input, answer, failures) {
      const charge = await lockCharge(ctx, input.chargeId)
      if (!charge || !isOpenCharge(charge)) return
      const { provider, status } = charge
      const result = answer.status === 'succeeded' ? `took ${formatChargeAmount(answer)}` : 'did not take the payment'
      await updateCharge(ctx, charge, { status, flag: `${provider} ${result}, but this could not be recorded in ${failures} attempts` })
    },
    async giveUp(ctx, input, { certain, reason }) {
      const charge = await lockCharge(ctx, input.chargeId)
      if (!charge || !isOpenCharge(charge)) return { status: charge?.status ?? 'gone' }
      if (certain) {
        const refused = { failureCode: 'refused', providerRef: null }
        return failCharge(ctx, charge, refused, () => failed(ctx, charge, input.more, refused.failureCode))
      }
      await updateCharge(ctx, charge, { status: 'unknown', flag: reason })
      return { status: 'unknown' }
    },
  })

/** Saves the card if the participant consented. If saving fails, the payment stays valid and the failure is reported. */
async function saveConsentedCard(
  ctx: EventContext,
  charge: ChargeRow,
  card: z.output<typeof SavedCardData> | null | undefined,
): Promise<string | null> {
  const { consent } = charge
  if (!card || consent === null) return null
  const { refused } = await runIsolatedInSavepoint(ctx, () => saveCard(ctx, { ...charge, consent }, card))
  return refused ? 'The card could not be saved' : null
}

/** Queries the payment processor once. If the outcome is unclear, the charge is marked as unknown before the next attempt. */
async function queryOnce(ask: FetchChargeOutcome, outside: ExternalCallContext<'event'>, chargeId: string): Promise<FinalChargeResult> {
  try {
    return await ask(outside, chargeId)
  } catch (error) {
    if (!(error instanceof ExternalCallRejectedError) && !(error instanceof ExternalCallPendingError))
      await outside.inTransaction((ctx) => markChargeOutcomeUnknown(ctx, chargeId))
    throw error
  }
}

export function toFinalChargeResult(answer: ChargeResult | null): FinalChargeResult {
  if (answer === null) throw new ExternalCallRejectedError('The processor does not know this charge')
  if (answer.status === 'pending') throw new ExternalCallPendingError(PROCESSOR_POLL_SECONDS)
  return answer
}

async function failCharge(
  ctx: EventContext,
  charge: ChargeRow,
  { failureCode, providerRef }: { failureCode: string; providerRef: string | null },
  then: () => Promise<void>,
) {
  await then()
  await updateCharge(ctx, charge, { status: 'failed', failure_code: failureCode, provider_ref: providerRef, flag: null })
  return { status: 'failed', failureCode }
}

/** Flags a payment in an unexpected currency instead of booking it. */
async function flagCurrency(
  ctx: EventContext,
  charge: ChargeRow,
  { amount, currency, providerRef }: FinalChargeResult & { status: 'succeeded' },
) {
  const flag = `${charge.provider} took ${formatChargeAmount({ amount, currency })}, not ${formatChargeAmount(charge)}: nothing was booked`
  await updateCharge(ctx, charge, { status: 'unknown', provider_ref: providerRef, flag })
  return { status: 'unknown', alert: flag }
}
