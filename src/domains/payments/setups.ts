import { type Selectable, sql, type Updateable } from 'kysely'
import { z } from 'zod'
import { recordChange } from '../../kernel/audit.ts'
import type { CheckoutUrls } from '../../kernel/cards.ts'
import type { Tables } from '../../kernel/columns.ts'
import type { EventContext } from '../../kernel/context.ts'
import { MetAnother, notFound } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { askOutside, defineOutsideCall, NotYet, RefusedOutside } from '../../kernel/outside-calls.ts'
import { backTo } from './back-to.ts'
import { ASK_SECONDS } from './charge-kinds.ts'
import type { At, Charging } from './charges.ts'
import { getProcessor, processorNamed } from './processor.ts'
import { KeptCard, keepCard } from './saved-cards.ts'

type SetupRow = Selectable<Tables['card_setups']>

const Answer = z.discriminatedUnion('status', [
  z.object({ status: z.literal('succeeded'), card: KeptCard }),
  z.object({ status: z.literal('failed'), failureCode: z.string() }),
])

/** Pages of processors close by themselves after a day. */
const PATIENCE_SECONDS = 25 * 3600

/** Somebody leaves a card on the processor's page: it is kept with the words to which they agreed, and charged later or never. */
export const cardSetup = defineOutsideCall({
  kind: 'payments.setup',
  scope: 'event',
  input: z.object({ setupId: z.string() }),
  answer: Answer,
  patienceSeconds: PATIENCE_SECONDS,
  retrySeconds: ASK_SECONDS,
  async call({ cards, signal, look }, { setupId }) {
    const { setup, email, at, currency } = await look((ctx) => readSetup(ctx, setupId))
    const processor = processorNamed({ cards }, setup.provider)
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
          isTestData: setup.is_test_data,
        },
        { returnUrl: setup.return_url, cancelUrl: setup.cancel_url },
        signal,
      )
      checkoutRef = page.ref
      await look((ctx) => keepSetup(ctx, setupId, { checkout_ref: page.ref, checkout_url: page.url }))
    }
    const answer = await processor.fetchSetup({ id: setupId, checkoutRef, at }, signal)
    if (answer.status === 'pending') throw new NotYet(ASK_SECONDS)
    return answer
  },
  async settle(ctx, { setupId }, answer) {
    const setup = await findSetup(ctx, setupId)
    if (setup?.status !== 'pending') return { status: setup?.status ?? 'gone' }
    if (answer.status === 'failed') return fail(ctx, setupId, answer.failureCode)
    const cardId = await keepCard(ctx, setup, answer.card)
    await keepSetup(ctx, setupId, { status: 'succeeded', card_id: cardId })
    return { status: 'succeeded', cardId }
  },
  giveUp: (ctx, { setupId }) => fail(ctx, setupId, 'expired'),
})

async function fail(ctx: EventContext, setupId: string, failureCode: string) {
  await keepSetup(ctx, setupId, { status: 'failed', failure_code: failureCode })
  return { status: 'failed', failureCode }
}

type Changed = Pick<Updateable<Tables['card_setups']>, 'status' | 'checkout_ref' | 'checkout_url' | 'card_id' | 'failure_code'>

const findSetup = ({ db, tenantId, event }: At, id: string): Promise<SetupRow | undefined> =>
  db
    .selectFrom('card_setups')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .where('id', '=', id)
    .executeTakeFirst()

async function readSetup(ctx: EventContext, id: string) {
  const { rows } = await sql<SetupRow & { email: string | null; at: Date }>`
    select s.*, p.email, lanyard_now() as at from card_setups s
    join participants p on p.tenant_id = s.tenant_id and p.event_id = s.event_id and p.id = s.participant_id
    where s.tenant_id = ${ctx.tenantId} and s.event_id = ${ctx.event.id} and s.id = ${id}`.execute(ctx.db)
  const [row] = rows
  if (!row) throw new RefusedOutside('It was removed')
  const { email, at, ...setup } = row
  return { setup, email, at, currency: ctx.event.currency }
}

async function keepSetup({ db, tenantId, event }: At, id: string, columns: Changed): Promise<void> {
  await db
    .updateTable('card_setups')
    .set({ ...columns, ...(columns.status === undefined ? {} : { settled_at: sql<Date>`lanyard_now()` }) })
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .execute()
}

interface NewSetup {
  participantId: string
  isTestData: boolean
  /** The words to which they agree, as they read them. */
  consent: string
  urls: CheckoutUrls
}

/** Writes down that somebody leaves a card; whoever has begun already goes on with that, in the words they agree to now. */
export async function beginSetup(
  ctx: Charging,
  { participantId, isTestData, consent, urls }: NewSetup,
): Promise<{ setupId: string; callId: string }> {
  const { name: provider } = getProcessor(ctx, { isTestData })
  const open = await ctx.db
    .updateTable('card_setups')
    .set({ consent })
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('participant_id', '=', participantId)
    .where('status', '=', 'pending')
    .returning(['id', 'call_id'])
    .executeTakeFirst()
  if (open) return { setupId: open.id, callId: open.call_id }
  const id = newId()
  const { callId } = await askOutside(ctx, cardSetup, { setupId: id }, { eventId: ctx.event.id }, { here: true })
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
      return_url: backTo(urls.returnUrl, 'setup', id),
      cancel_url: backTo(urls.cancelUrl, 'setup', id),
      call_id: callId,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!kept) throw new MetAnother('a card was begun to be left meanwhile')
  recordChange(ctx, { kind: 'cardSetup', id, after: { participantId, consent } })
  return { setupId: id, callId }
}

/** How it stands, for whoever waits for it. */
export async function setupStandingOf(ctx: At, setupId: string) {
  const row = await findSetup(ctx, setupId)
  if (!row) throw notFound(`No card ${setupId} here`)
  const { status, failure_code: failureCode, checkout_url, participant_id: participantId, call_id: callId } = row
  return { setupId, status, failureCode, url: status === 'pending' ? checkout_url : null, participantId, callId }
}
