import { beginPaidRegistration } from '../../src/domains/checkout/paid-registration.ts'
import { type BlockedCheckout, isBlockedCheckout, type StartedCheckout, type Standing } from '../../src/domains/payments/checkout.ts'
import { readStoredAnswers } from '../../src/domains/registration/answers.ts'
import { getParticipant } from '../../src/domains/registration/participant-rows.ts'
import { getFlow, loadEventSnapshot } from '../../src/domains/registration/event-snapshot.ts'
import type { EventContext } from '../../src/kernel/context.ts'
import { getCheckoutPaymentPage, refreshChargeStatus } from '../../src/surfaces/payments/checkout.ts'
import { runBackgroundJobStep } from '../../src/surfaces/worker/step.ts'
import { openEventLedger } from './event-ledger.ts'
import { runDueExternalCalls } from './scripted-cards.ts'
import { openSalesScenario, WORKED_EXAMPLE } from './sales-scenario.ts'
import { startStripeServer } from './stripe-server.ts'

export const CHECKOUT_URLS = { returnUrl: 'http://localhost:3000/return', cancelUrl: 'http://localhost:3000/pay' }

export type PaymentScenario = Awaited<ReturnType<typeof openPaymentScenario>>

/** An event whose registrations are paid at a Stripe stub. */
export async function openPaymentScenario(sections: object = WORKED_EXAMPLE, options: Parameters<typeof openSalesScenario>[1] = {}) {
  const stripe = await startStripeServer()
  const sales = await openSalesScenario(sections, { cards: stripe.cards, ...options })
  const { world, event } = sales
  const { tenantId, clientId, eventId } = event
  const startedBy = { id: sales.olga.userId, name: 'Olga' }
  const at = <T>(run: (ctx: EventContext) => Promise<T>): Promise<T> =>
    runBackgroundJobStep<'event', T>(world.services, { name: 'test', tenantId, clientId, eventId, startedBy }, run)
  const rows = async (query: string, values: unknown[] = []) => (await world.database.pool.query<any>(query, values)).rows
  const paying = {
    stripe,
    sales: sales,
    at,
    rows,
    count: (what: string) => sales.queryNumber(`select count(*)::int as figure from ${what}`),
    /** Starts a registration with the given products without completing it. */
    async startRegistration(products: Record<string, number>): Promise<string> {
      const { participant } = await sales.register(products, { status: 'incomplete' })
      return participant.id as string
    },
    /** Confirms a registration and starts its payment, which is refused while another payment page of the registration is open. */
    tryPayment: (participantId: string, { consent = null }: { consent?: string | null } = {}): Promise<StartedCheckout | BlockedCheckout> =>
      at(async (ctx) => {
        const participant = await getParticipant(ctx, participantId)
        const snapshot = await loadEventSnapshot(ctx, participant.is_test_data ? { test: { useDraft: true } } : {})
        const submission = {
          snapshot,
          flow: getFlow(snapshot, participant.flow_slug!),
          answers: readStoredAnswers(participant),
          manualTags: participant.manual_tags,
          source: 'web' as const,
          participant,
        }
        return beginPaidRegistration(ctx, { submission, urls: CHECKOUT_URLS, consent })
      }),
    async beginPayment(participantId: string, more: { consent?: string | null } = {}): Promise<StartedCheckout> {
      const start = await paying.tryPayment(participantId, more)
      if (isBlockedCheckout(start)) throw new Error(`the payment page of charge ${start.blockedBy.chargeId} is still open`)
      return start
    },
    opens: (started: StartedCheckout): Promise<Standing> => getCheckoutPaymentPage(world.services, { tenantId, eventId }, started),
    /** Returns from the payment page as the participant does. */
    returnFromPayment: (chargeId: string): Promise<Standing> => refreshChargeStatus(world.services, { tenantId, eventId }, chargeId),
    /** Starts a registration and opens its payment page. */
    async openPaymentPage(products: Record<string, number>, more: { consent?: string | null } = {}) {
      const participantId = await paying.startRegistration(products)
      const started = await paying.beginPayment(participantId, more)
      await paying.opens(started)
      return { participantId, ...started }
    },
    runDueCalls: () => runDueExternalCalls(sales),
    statusOf: async (participantId: string) =>
      (await rows('select status from participants where id = $1', [participantId]))[0].status as string,
    mails: async (participantId: string) =>
      (
        await rows(
          `select coalesce(email_code, source_kind) as code from messages m join participants p on p.id = $1 and m.to_address = p.email order by m.id`,
          [participantId],
        )
      ).map(({ code }) => code as string),
    mustAddUp: () => openEventLedger(world, event).assertInvariants(),
    async end() {
      await world.end()
      stripe.close()
    },
  }
  return paying
}
