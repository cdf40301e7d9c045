import { z } from 'zod'
import type { ChargeAnswer } from '../../kernel/cards.ts'
import type { EventContext } from '../../kernel/context.ts'
import { askOutside, defineOutsideCall, NotYet, type Outside, type OutsideCall, RefusedOutside } from '../../kernel/outside-calls.ts'
import { type ChargeRow, isOpen, keepCharge, lockCharge, moneyIn, noteUnknown, type Paid } from './charges.ts'
import { KeptCard, keepCard } from './saved-cards.ts'
import { takenBackCall } from './taken-back.ts'

const Answer = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('succeeded'),
    providerRef: z.string(),
    amount: z.number(),
    currency: z.string(),
    card: KeptCard.nullish(),
    touched: z.boolean().optional(),
  }),
  z.object({ status: z.literal('failed'), failureCode: z.string(), providerRef: z.string().nullable() }),
])
export type Known = z.output<typeof Answer>

/** A processor that cannot be reached is asked for this long, which is longer than any stays away. */
const PATIENCE_SECONDS = 30 * 24 * 3600
/** What is not known is asked about this often, once it is older than two minutes; before that whoever waits for it asks. */
export const ASK_SECONDS = 60

export interface Purpose<More extends z.ZodRawShape> {
  kind: string
  /** What has to be remembered until the processor has answered. */
  more: More
  /** Gives what was paid for. A `flag` is for whoever has to look at it. */
  paid: (
    ctx: EventContext,
    paid: Paid,
    more: z.output<z.ZodObject<More>>,
  ) => Promise<{ orderId: string; invoiceId: string | null; flag?: string | null }>
  failed: (ctx: EventContext, charge: ChargeRow, more: z.output<z.ZodObject<More>>) => Promise<void>
}

export type ChargeCall<More extends z.ZodRawShape> = OutsideCall<{ chargeId: string; more: z.output<z.ZodObject<More>> }, Known, 'event'>

/** Asks the processor once. What cannot be known yet is thrown. */
export type Ask = (outside: Outside<'event'>, chargeId: string) => Promise<Known>

/**
 * A kind of charge: what is paid with it, and what follows when it is paid or not. The processor is asked until it is known; what follows
 * happens once, in one transaction, however often and by whomever it was asked.
 */
export const chargeKind = <More extends z.ZodRawShape>(ask: Ask, { kind, more, paid, failed }: Purpose<More>): ChargeCall<More> =>
  defineOutsideCall({
    kind,
    scope: 'event',
    input: z.object({ chargeId: z.string(), more: z.object(more) }) as unknown as ChargeCall<More>['input'],
    answer: Answer,
    patienceSeconds: PATIENCE_SECONDS,
    retrySeconds: ASK_SECONDS,
    call: (outside, { chargeId }) => untilKnown(ask, outside, chargeId),
    async settle(ctx, input, answer) {
      const charge = await lockCharge(ctx, input.chargeId)
      // Rows of test data may be gone before their answer comes.
      if (!charge) return { status: 'gone' }
      if (!isOpen(charge)) return { status: charge.status }
      if (answer.status === 'failed') return refuse(ctx, charge, answer, () => failed(ctx, charge, input.more))
      if (answer.currency !== charge.currency) return flagCurrency(ctx, charge, answer)
      const { orderId, invoiceId, flag = null } = await paid(ctx, { charge, ...answer }, input.more)
      if (answer.card && charge.consent !== null) await keepCard(ctx, { ...charge, consent: charge.consent }, answer.card)
      const other = answer.amount === charge.amount ? null : `${charge.provider} took ${moneyIn(answer)}, not ${moneyIn(charge)}`
      const said = other ?? flag
      const provider_ref = answer.providerRef
      await keepCharge(ctx, charge, { status: 'succeeded', provider_ref, order_id: orderId, invoice_id: invoiceId, flag: said })
      // Before we knew of it, some of it had gone back.
      if (answer.touched) await askOutside(ctx, takenBackCall, { chargeId: charge.id }, { eventId: ctx.event.id })
      return { status: 'succeeded', ...(said === null ? {} : { alert: said }) }
    },
    async giveUp(ctx, input, { certain, reason }) {
      const charge = await lockCharge(ctx, input.chargeId)
      if (!charge || !isOpen(charge)) return { status: charge?.status ?? 'gone' }
      if (certain) return refuse(ctx, charge, { failureCode: 'refused', providerRef: null }, () => failed(ctx, charge, input.more))
      await keepCharge(ctx, charge, { status: 'unknown', flag: reason })
      return { status: 'unknown' }
    },
  })

/** What comes of a try that does not end here is unknown, and said so before the next. */
async function untilKnown(ask: Ask, outside: Outside<'event'>, chargeId: string): Promise<Known> {
  try {
    return await ask(outside, chargeId)
  } catch (error) {
    if (!(error instanceof RefusedOutside) && !(error instanceof NotYet)) await outside.look((ctx) => noteUnknown(ctx, chargeId))
    throw error
  }
}

export function known(answer: ChargeAnswer | null): Known {
  if (answer === null) throw new RefusedOutside('The processor never heard of this charge')
  if (answer.status === 'pending') throw new NotYet(ASK_SECONDS)
  return answer
}

async function refuse(
  ctx: EventContext,
  charge: ChargeRow,
  { failureCode, providerRef }: { failureCode: string; providerRef: string | null },
  then: () => Promise<void>,
) {
  await then()
  await keepCharge(ctx, charge, { status: 'failed', failure_code: failureCode, provider_ref: providerRef })
  return { status: 'failed', failureCode }
}

/** Money in a currency that nobody asked for is not booked: somebody has to look. */
async function flagCurrency(ctx: EventContext, charge: ChargeRow, { amount, currency, providerRef }: Known & { status: 'succeeded' }) {
  const flag = `${charge.provider} took ${moneyIn({ amount, currency })}, not ${moneyIn(charge)}: nothing was booked`
  await keepCharge(ctx, charge, { status: 'unknown', provider_ref: providerRef, flag })
  return { status: 'unknown', alert: flag }
}
