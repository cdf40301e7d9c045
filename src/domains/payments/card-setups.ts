import { type Selectable, sql } from 'kysely'
import { z } from 'zod'
import { recordChange } from '../../kernel/audit.ts'
import type { CheckoutUrls } from '../../kernel/cards.ts'
import type { Tables } from '../../kernel/columns.ts'
import type { EventContext } from '../../kernel/context.ts'
import { SerializationConflict, notFound } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import {
  scheduleExternalCall,
  defineExternalCall,
  ExternalCallPendingError,
  ExternalCallRejectedError,
} from '../../kernel/external-calls.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { buildPaymentReturnUrl } from './return-url.ts'
import { PROCESSOR_POLL_SECONDS } from './charge-kinds.ts'
import type { ChargeScope, ChargeContext } from './charges.ts'
import { getPaymentProcessor, getPaymentProcessorByName, usesSandboxProcessor } from './processor.ts'
import { SavedCardData, saveCard } from './saved-cards.ts'
import { changeStateOfRows } from '../../kernel/states.ts'
import { CARD_SETUP_STATES } from './states.ts'

type SetupRow = Selectable<Tables['card_setups']>

const Answer = z.discriminatedUnion('status', [
  z.object({ status: z.literal('succeeded'), card: SavedCardData }),
  z.object({ status: z.literal('failed'), failureCode: z.string() }),
])

/** How long a card setup is polled: payment pages of the processor expire after a day. */
const MAX_SETUP_SECONDS = 25 * 3600

/** Saves a card on the processor's page for a later charge, with the accepted consent text. */
export const cardSetupCall = defineExternalCall({
  kind: 'payments.setup',
  scope: 'event',
  input: z.object({ setupId: z.string() }),
  answer: Answer,
  keyLifetimeSeconds: MAX_SETUP_SECONDS,
  maxRetrySeconds: PROCESSOR_POLL_SECONDS,
  async call({ cards, signal, inTransaction }, { setupId }) {
    const { setup, email, at, currency, inSandbox } = await inTransaction((ctx) => readSetup(ctx, setupId))
    const processor = getPaymentProcessorByName({ cards }, setup.provider)
    let checkoutRef = setup.checkout_ref
    if (checkoutRef === null) {
      const page = await processor.createSetup(
        {
          key: `setup:${setupId}`,
          setupId,
          participantId: setup.participant_id,
          eventId: setup.event_id,
          currency,
          email,
          isTestData: inSandbox,
        },
        { returnUrl: setup.return_url, cancelUrl: setup.cancel_url },
        signal,
      )
      checkoutRef = page.ref
      await inTransaction((ctx) =>
        eventDb(ctx)
          .updateTable('card_setups')
          .set({ checkout_ref: page.ref, checkout_url: page.url })
          .where('id', '=', setupId)
          .where('status', '=', 'pending')
          .execute(),
      )
    }
    const answer = await processor.fetchSetup({ id: setupId, checkoutRef, at }, signal)
    if (answer.status === 'pending') throw new ExternalCallPendingError(PROCESSOR_POLL_SECONDS)
    return answer
  },
  async settle(ctx, { setupId }, answer) {
    const setup = await findSetup(ctx, setupId)
    if (setup?.status !== 'pending') return { status: setup?.status ?? 'gone' }
    if (answer.status === 'failed') return failSetup(ctx, setupId, answer.failureCode)
    const cardId = await saveCard(ctx, setup, answer.card)
    await endSetup(ctx, setupId, { status: 'succeeded', card_id: cardId })
    return { status: 'succeeded', cardId }
  },
  giveUp: (ctx, { setupId }) => failSetup(ctx, setupId, 'expired'),
})

async function failSetup(ctx: EventContext, setupId: string, failureCode: string) {
  await endSetup(ctx, setupId, { status: 'failed', failure_code: failureCode })
  return { status: 'failed', failureCode }
}

const findSetup = (ctx: ChargeScope, id: string): Promise<SetupRow | undefined> =>
  eventDb(ctx).selectFrom('card_setups').selectAll().where('id', '=', id).executeTakeFirst()

async function readSetup(ctx: EventContext, id: string) {
  const { rows } = await sql<SetupRow & { email: string | null; at: Date }>`
    select s.*, p.email, lanyard_now() as at from card_setups s
    join participants p on p.tenant_id = s.tenant_id and p.event_id = s.event_id and p.id = s.participant_id
    where s.tenant_id = ${ctx.tenantId} and s.event_id = ${ctx.event.id} and s.id = ${id}`.execute(ctx.db)
  const [row] = rows
  if (!row) throw new ExternalCallRejectedError('It was removed')
  const { email, at, ...setup } = row
  return { setup, email, at, currency: ctx.event.currency, inSandbox: usesSandboxProcessor(ctx.event, setup.is_test_data) }
}

const endSetup = async (
  ctx: ChargeScope,
  id: string,
  { status, ...columns }: { status: 'succeeded' | 'failed'; card_id?: string; failure_code?: string | null },
): Promise<void> =>
  void (await changeStateOfRows(eventDb(ctx), CARD_SETUP_STATES, status)
    .set({ ...columns, settled_at: sql<Date>`lanyard_now()` })
    .where('id', '=', id)
    .execute())

interface NewSetup {
  participantId: string
  isTestData: boolean
  /** The consent text that was shown to the participant. */
  consent: string
  urls: CheckoutUrls
}

/** Starts a card setup, or continues an open setup with the current consent text. */
export async function startCardSetup(
  ctx: ChargeContext,
  { participantId, isTestData, consent, urls }: NewSetup,
): Promise<{ setupId: string; callId: string }> {
  const { name: provider } = getPaymentProcessor(ctx, { isTestData })
  const open = await eventDb(ctx)
    .updateTable('card_setups')
    .set({ consent })
    .where('participant_id', '=', participantId)
    .where('status', '=', 'pending')
    .returning(['id', 'call_id'])
    .executeTakeFirst()
  if (open) return { setupId: open.id, callId: open.call_id }
  const id = newId()
  const { callId } = await scheduleExternalCall(ctx, cardSetupCall, { setupId: id }, { eventId: ctx.event.id }, { here: true })
  const kept = await ctx.db
    .insertInto('card_setups')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id,
      participant_id: participantId,
      is_test_data: isTestData,
      consent,
      provider,
      return_url: buildPaymentReturnUrl(urls.returnUrl, 'setup', id),
      cancel_url: buildPaymentReturnUrl(urls.cancelUrl, 'setup', id),
      call_id: callId,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!kept) throw new SerializationConflict('a card setup was started concurrently')
  recordChange(ctx, { kind: 'cardSetup', id, after: { participantId, consent } })
  return { setupId: id, callId }
}

/** Returns the status of a card setup, for pages that wait for its outcome. */
export async function readCardSetupStatus(ctx: ChargeScope, setupId: string) {
  const row = await findSetup(ctx, setupId)
  if (!row) throw notFound(`No card ${setupId} here`)
  const { status, failure_code: failureCode, checkout_url, participant_id: participantId, call_id: callId } = row
  return { setupId, status, failureCode, url: status === 'pending' ? checkout_url : null, participantId, callId }
}
