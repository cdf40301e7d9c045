import { type Attempt, attemptDelivery } from '../../domains/webhooks/attempt.ts'
import { type HeldDelivery, takeDue } from '../../domains/webhooks/claim.ts'
import { disableEndpoint, homeOf } from '../../domains/webhooks/disable.ts'
import { dropHeld, settleAttempt } from '../../domains/webhooks/settle.ts'
import type { Road } from '../road.ts'
import { keepStep } from './step.ts'

/** Attempts of one process at the same time; of these so many to receivers that fail, which may keep each for as long as it is waited for. */
const SIDE_BY_SIDE = 512
const FAILING_SIDE_BY_SIDE = 128

/** Sends messages to integrators. Any number of processes may do so at once. */
export function webhookSender(road: Road) {
  const { database, log } = road
  const inFlight = new Set<Promise<void>>()
  let toFailing = 0

  async function attempt(held: HeldDelivery): Promise<Attempt | null> {
    if (!held.covered) {
      await dropHeld(database.write, held)
      return null
    }
    const attempted = await attemptDelivery(road, held)
    const settled = await settleAttempt(database.write, held, attempted)
    if (attempted.delivered || settled === 'lost') return attempted
    log.warn('webhook not delivered', { name: held.messageId, outcome: settled, error: attempted.error ?? '' })
    await leaveAlone(held, attempted)
    return attempted
  }

  /** In a transaction of its own: ended before it, the next attempt comes to the same. */
  async function leaveAlone({ tenantId, endpointId }: HeldDelivery, { status }: Attempt): Promise<void> {
    const clientId = await homeOf(database.write, { tenantId, endpointId })
    const work = { name: 'send_webhook', tenantId, clientId, eventId: null, startedBy: { id: 'webhooks', name: 'Lanyard' } }
    await keepStep(road, work, (ctx) => disableEndpoint(ctx, endpointId, status === 410 ? 'gone' : 'failing'))
  }

  function begin(held: HeldDelivery): void {
    const counted = held.failing ? 1 : 0
    toFailing += counted
    const running: Promise<void> = attempt(held)
      .catch((error: Error) => log.error('webhook', { name: held.messageId, error: error.message, stack: error.stack ?? '' }))
      .then(() => {
        toFailing -= counted
        inFlight.delete(running)
      })
    inFlight.add(running)
  }

  return {
    /** Begins what is due and there is room for, and says how many. They go on by themselves: one that hangs keeps no other waiting. */
    async beginDue(): Promise<number> {
      const room = SIDE_BY_SIDE - inFlight.size
      if (room <= 0) return 0
      const held = await database.transact((db) => takeDue(db, { room, roomFailing: Math.min(room, FAILING_SIDE_BY_SIDE - toFailing) }))
      for (const one of held) begin(one)
      return held.length
    },
    /** One that the caller has in hand, and waits for. */
    attempt,
    /** When one of those under way has ended, which makes room. */
    someEnded: (): Promise<void> => (inFlight.size > 0 ? Promise.race(inFlight) : new Promise(() => {})),
    /** When everything that was begun has ended. */
    async settled(): Promise<void> {
      while (inFlight.size > 0) await Promise.all(inFlight)
    },
  }
}
