import { type DeliveryAttempt, attemptDelivery } from '../../domains/webhooks/attempt.ts'
import { type LeasedDelivery, leaseDueDeliveries } from '../../domains/webhooks/lease-deliveries.ts'
import { disableEndpoint, findClientIdForEndpointAudit } from '../../domains/webhooks/disable.ts'
import { dropDelivery, saveDeliveryAttempt } from '../../domains/webhooks/save-attempt.ts'
import type { AppServices } from '../services.ts'
import { runBackgroundJobStep } from './step.ts'

/** Maximum number of concurrent webhook delivery attempts per process. */
const MAX_CONCURRENT_ATTEMPTS = 512
/** Maximum number of concurrent attempts to deliver to endpoints that failed before, because each may take until the timeout. */
const MAX_CONCURRENT_FAILING = 128

/** Sends webhook messages. Several processes may run it concurrently. */
export function createWebhookSender(services: AppServices) {
  const { database, log } = services
  const inFlight = new Set<Promise<void>>()
  let failingInFlight = 0

  async function attempt(held: LeasedDelivery): Promise<DeliveryAttempt | null> {
    if (!held.covered) {
      await dropDelivery(database.write, held)
      return null
    }
    const attempted = await attemptDelivery(services, held)
    const settled = await saveDeliveryAttempt(database.write, held, attempted)
    if (attempted.delivered || settled === 'lost') return attempted
    log.warn('webhook not delivered', { name: held.messageId, outcome: settled, error: attempted.error ?? '' })
    await disableFailingEndpoint(held, attempted)
    return attempted
  }

  /**
   * Disables an endpoint that keeps failing, in a separate transaction: if the process stops before it, the next attempt has the same
   * outcome and disables the endpoint.
   */
  async function disableFailingEndpoint({ tenantId, endpointId }: LeasedDelivery, { status }: DeliveryAttempt): Promise<void> {
    const clientId = await findClientIdForEndpointAudit(database.write, { tenantId, endpointId })
    const work = { name: 'send_webhook', tenantId, clientId, eventId: null, startedBy: { id: 'webhooks', name: 'Lanyard' } }
    await runBackgroundJobStep(services, work, (ctx) => disableEndpoint(ctx, endpointId, status === 410 ? 'gone' : 'failing'))
  }

  function begin(held: LeasedDelivery): void {
    const counted = held.failing ? 1 : 0
    failingInFlight += counted
    const running: Promise<void> = attempt(held)
      .catch((error: Error) => log.error('webhook', { name: held.messageId, error: error.message, stack: error.stack ?? '' }))
      .then(() => {
        failingInFlight -= counted
        inFlight.delete(running)
      })
    inFlight.add(running)
  }

  return {
    /**
     * Starts due deliveries up to the free capacity and returns how many. They run in the background, so that a slow receiver delays no
     * other.
     */
    async beginDue(): Promise<number> {
      const room = MAX_CONCURRENT_ATTEMPTS - inFlight.size
      if (room <= 0) return 0
      const held = await database.transact((db) =>
        leaseDueDeliveries(db, { room, roomFailing: Math.min(room, MAX_CONCURRENT_FAILING - failingInFlight) }),
      )
      for (const one of held) begin(one)
      return held.length
    },
    /** Attempts one leased delivery that the caller waits for. */
    attempt,
    /** Resolves when a running delivery has ended, which frees capacity. */
    anyEnded: (): Promise<void> => (inFlight.size > 0 ? Promise.race(inFlight) : new Promise(() => {})),
    /** Resolves when all running deliveries have ended. */
    async settled(): Promise<void> {
      while (inFlight.size > 0) await Promise.all(inFlight)
    },
  }
}
