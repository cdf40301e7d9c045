import { type Selectable, sql } from 'kysely'
import { z } from 'zod'
import { recordChange } from '../../kernel/audit.ts'
import type { CardCharge, ChargeAnswer } from '../../kernel/cards.ts'
import type { Tables } from '../../kernel/columns.ts'
import type { EventContext } from '../../kernel/context.ts'
import { newId } from '../../kernel/ids.ts'
import { toMoney } from '../../kernel/money.ts'
import { askOutside, defineOutsideCall, type Outside, type OutsideCall, RefusedOutside } from '../../kernel/outside-calls.ts'
import { processorNamed } from './processor.ts'
import type { SavedCardRow } from './saved-cards.ts'
import type {} from './tables.ts'

export type ChargeRow = Selectable<Tables['charges']>
type At = Pick<EventContext, 'db' | 'tenantId' | 'event'>

/** A charge that has succeeded: what really came, and under which name the processor keeps it. */
export interface Paid {
  charge: ChargeRow
  amount: number
  providerRef: string
}

const Answer = z.discriminatedUnion('status', [
  z.object({ status: z.literal('succeeded'), providerRef: z.string(), amount: z.number(), currency: z.string() }),
  z.object({ status: z.literal('failed'), failureCode: z.string(), providerRef: z.string().nullable() }),
])
type Known = z.output<typeof Answer>

/** A processor that cannot be reached is asked for this long, which is longer than any stays away. */
const PATIENCE_SECONDS = 30 * 24 * 3600

interface Purpose<More extends z.ZodRawShape> {
  kind: string
  /** What has to be remembered until the processor has answered. */
  more: More
  paid: (ctx: EventContext, paid: Paid, more: z.output<z.ZodObject<More>>) => Promise<{ orderId: string; invoiceId: string | null }>
  failed: (ctx: EventContext, charge: ChargeRow, more: z.output<z.ZodObject<More>>) => Promise<void>
}

export type ChargeCall<More extends z.ZodRawShape> = OutsideCall<{ chargeId: string; more: z.output<z.ZodObject<More>> }, Known, 'event'>

/**
 * A kind of charge: what is paid with it, and what follows when it is paid or not. The processor is asked until it is known, always under
 * one key; a card is charged once however often that takes.
 */
export const defineCharge = <More extends z.ZodRawShape>({ kind, more, paid, failed }: Purpose<More>): ChargeCall<More> =>
  defineOutsideCall({
    kind,
    scope: 'event',
    input: z.object({ chargeId: z.string(), more: z.object(more) }) as unknown as ChargeCall<More>['input'],
    answer: Answer,
    patienceSeconds: PATIENCE_SECONDS,
    call: (outside, { chargeId }) => ask(outside, chargeId),
    async settle(ctx, input, answer) {
      const charge = await getCharge(ctx, input.chargeId)
      if (charge.status === 'succeeded' || charge.status === 'failed') return { status: charge.status }
      if (answer.status === 'failed') return refuse(ctx, charge, answer, () => failed(ctx, charge, input.more))
      if (answer.currency !== charge.currency) return flagCurrency(ctx, charge, answer)
      const { orderId, invoiceId } = await paid(ctx, { charge, ...answer }, input.more)
      await keepCharge(ctx, charge, {
        status: 'succeeded',
        provider_ref: answer.providerRef,
        order_id: orderId,
        invoice_id: invoiceId,
        flag: answer.amount === charge.amount ? null : `${charge.provider} took ${moneyIn(answer)}, not ${moneyIn(charge)}`,
      })
      return { status: 'succeeded' }
    },
    async giveUp(ctx, input, { certain, reason }) {
      const charge = await getCharge(ctx, input.chargeId)
      if (certain) return refuse(ctx, charge, { failureCode: 'refused', providerRef: null }, () => failed(ctx, charge, input.more))
      await keepCharge(ctx, charge, { status: 'unknown', flag: reason })
      return { status: 'unknown' }
    },
  })

const moneyIn = ({ amount, currency }: { amount: number; currency: string }) => `${toMoney(amount, currency).amount} ${currency}`

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
  return { status: 'unknown' }
}

export async function getCharge({ db, tenantId, event }: At, id: string): Promise<ChargeRow> {
  return db
    .selectFrom('charges')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
}

type Kept = Pick<ChargeRow, 'status'> & Partial<Pick<ChargeRow, 'provider_ref' | 'failure_code' | 'order_id' | 'invoice_id' | 'flag'>>

async function keepCharge(ctx: EventContext, charge: ChargeRow, columns: Kept): Promise<void> {
  const over = columns.status === 'succeeded' || columns.status === 'failed'
  await ctx.db
    .updateTable('charges')
    .set({ ...columns, ...(over ? { settled_at: sql<Date>`lanyard_now()` } : {}) })
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', '=', charge.id)
    .execute()
  const { status, flag = null } = columns
  recordChange(ctx, { kind: 'charge', id: charge.id, before: { status: charge.status }, after: { status, ...(flag ? { flag } : {}) } })
}

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

/** One try. What comes of one that does not end here is unknown, and said so before the next. */
async function ask(outside: Outside<'event'>, chargeId: string): Promise<Known> {
  const { cards, signal, look } = outside
  const { provider, ageSeconds, ...charge } = await look((ctx) => noteTry(ctx, chargeId))
  const processor = processorNamed({ cards }, provider)
  try {
    // A key that the processor may have forgotten is not used again: it would charge a second time.
    const answer = ageSeconds < processor.keySeconds ? await processor.charge(charge, signal) : await processor.find(chargeId, signal)
    if (answer === null) throw new RefusedOutside('The processor never heard of this charge')
    return known(answer)
  } catch (error) {
    if (!(error instanceof RefusedOutside)) await look((ctx) => noteUnknown(ctx, chargeId))
    throw error
  }
}

function known(answer: ChargeAnswer): Known {
  if (answer.status === 'pending') throw new Error('the processor does not know yet')
  return answer
}

async function noteTry(ctx: EventContext, chargeId: string): Promise<CardCharge & { provider: string; ageSeconds: number }> {
  const { rows } = await sql<ChargeRow & { ageSeconds: number; customer_ref: string; method_ref: string }>`
    update charges c set attempts = c.attempts + 1, status = case when c.attempts > 0 and c.status = 'pending' then 'unknown' else c.status end
    from saved_cards s
    where c.tenant_id = ${ctx.tenantId} and c.event_id = ${ctx.event.id} and c.id = ${chargeId}
      and s.tenant_id = c.tenant_id and s.event_id = c.event_id and s.id = c.card_id
    returning c.*, extract(epoch from lanyard_now() - c.created_at)::float8 as "ageSeconds", s.customer_ref, s.method_ref`.execute(ctx.db)
  const charge = rows[0]!
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
  }
}

async function noteUnknown({ db, tenantId, event }: EventContext, chargeId: string): Promise<void> {
  await db
    .updateTable('charges')
    .set({ status: 'unknown' })
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .where('id', '=', chargeId)
    .where('status', '=', 'pending')
    .execute()
}
