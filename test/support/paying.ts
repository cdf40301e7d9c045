import { beginPaidRegistration } from '../../src/domains/checkout/paid-registration.ts'
import type { StartedCheckout, Standing } from '../../src/domains/payments/checkout.ts'
import { answersOf } from '../../src/domains/registration/answers.ts'
import { getParticipant } from '../../src/domains/registration/participant-rows.ts'
import { getFlow, loadEventSnapshot } from '../../src/domains/registration/event-snapshot.ts'
import type { EventContext } from '../../src/kernel/context.ts'
import { openCheckout, refreshChargeStatus } from '../../src/surfaces/payments/checkout.ts'
import { runStep } from '../../src/surfaces/worker/step.ts'
import { booksOf } from './books.ts'
import { runDueCalls } from './scripted-cards.ts'
import { openSelling, WORKED_EXAMPLE } from './selling.ts'
import { stripeServer } from './stripe-server.ts'

export const URLS = { returnUrl: 'http://localhost:3000/return', cancelUrl: 'http://localhost:3000/pay' }

export type Paying = Awaited<ReturnType<typeof openPaying>>

/** An event whose registrations are paid at a Stripe stub. */
export async function openPaying(sections: object = WORKED_EXAMPLE, options: Parameters<typeof openSelling>[1] = {}) {
  const stripe = await stripeServer()
  const story = await openSelling(sections, { cards: stripe.cards, ...options })
  const { world, event } = story
  const { tenantId, clientId, eventId } = event
  const startedBy = { id: story.olga.userId, name: 'Olga' }
  const at = <T>(run: (ctx: EventContext) => Promise<T>): Promise<T> =>
    runStep<'event', T>(world.services, { name: 'test', tenantId, clientId, eventId, startedBy }, run)
  const rows = async (query: string, values: unknown[] = []) => (await world.database.pool.query<any>(query, values)).rows
  const paying = {
    stripe,
    story,
    at,
    rows,
    count: (what: string) => story.figure(`select count(*)::int as figure from ${what}`),
    /** Starts a registration with these products without completing it. */
    async starts(products: Record<string, number>): Promise<string> {
      const { participant } = await story.register(products, { status: 'incomplete' })
      return participant.id as string
    },
    /** The participant confirms and starts the payment. */
    begins: (participantId: string, { consent = null }: { consent?: string | null } = {}): Promise<StartedCheckout> =>
      at(async (ctx) => {
        const participant = await getParticipant(ctx, participantId)
        const snapshot = await loadEventSnapshot(ctx, participant.is_test_data ? { test: { useDraft: true } } : {})
        const submission = {
          snapshot,
          flow: getFlow(snapshot, participant.flow_slug!),
          answers: answersOf(participant),
          manualTags: participant.manual_tags,
          source: 'web' as const,
          participant,
        }
        return beginPaidRegistration(ctx, { submission, urls: URLS, consent })
      }),
    opens: (begun: StartedCheckout): Promise<Standing> => openCheckout(world.services, { tenantId, eventId }, begun),
    /** The participant returns from the payment page. */
    returns: (chargeId: string): Promise<Standing> => refreshChargeStatus(world.services, { tenantId, eventId }, chargeId),
    /** Starts a registration and opens its payment page. */
    async atTheTill(products: Record<string, number>, more: { consent?: string | null } = {}) {
      const participantId = await paying.starts(products)
      const begun = await paying.begins(participantId, more)
      await paying.opens(begun)
      return { participantId, ...begun }
    },
    runDueCalls: () => runDueCalls(story),
    statusOf: async (participantId: string) =>
      (await rows('select status from participants where id = $1', [participantId]))[0].status as string,
    mails: async (participantId: string) =>
      (
        await rows(
          `select coalesce(email_code, source_kind) as code from messages m join participants p on p.id = $1 and m.to_address = p.email order by m.id`,
          [participantId],
        )
      ).map(({ code }) => code as string),
    mustAddUp: () => booksOf(world, event).mustAddUp(),
    async end() {
      await world.end()
      stripe.close()
    },
  }
  return paying
}
