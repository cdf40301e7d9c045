import type { Begun } from '../../domains/payments/checkout.ts'
import { type Standing, standingOf } from '../../domains/payments/checkout.ts'
import { setupStandingOf } from '../../domains/payments/setups.ts'
import { wakeOutsideCall } from '../../kernel/outside-calls.ts'
import type { Road } from '../road.ts'
import { outsideCallRunner } from '../worker/run-outside-calls.ts'

interface At {
  tenantId: number
  eventId: string
}

/** As long as somebody looks at a page that loads. */
const WAIT_MS = 8000

const contextOf = ({ database, queue }: Road, { tenantId, eventId }: At) => ({
  tenantId,
  event: { id: eventId },
  db: database.write,
  queue,
})

/** The processor's page for a charge, once its row is kept. Its `url` is null where the processor did not answer in time: then asking again is safe. */
export async function openCheckout(road: Road, at: At, { chargeId, callId }: Begun): Promise<Standing> {
  const known = await standingOf(contextOf(road, at), chargeId)
  return known.url !== null ? known : look(road, at, callId, () => standingOf(contextOf(road, at), chargeId))
}

/** How a charge stands, having asked the processor: for the page to which people come back. Nothing is asked about one that is over. */
export async function refreshStanding(road: Road, at: At, chargeId: string): Promise<Standing> {
  const ctx = contextOf(road, at)
  const known = await standingOf(ctx, chargeId)
  if (known.status === 'succeeded' || known.status === 'failed' || known.callId === null) return known
  return look(road, at, known.callId, () => standingOf(ctx, chargeId))
}

/** The same for a card that somebody leaves. */
export async function refreshSetup(road: Road, at: At, setupId: string) {
  const ctx = contextOf(road, at)
  const known = await setupStandingOf(ctx, setupId)
  return known.status === 'pending' ? look(road, at, known.callId, () => setupStandingOf(ctx, setupId)) : known
}

async function look<T>(road: Road, at: At, callId: string, then: () => Promise<T>): Promise<T> {
  await wakeOutsideCall(contextOf(road, at), callId, { here: true })
  await outsideCallRunner(road).settleSoon({ tenantId: at.tenantId, callId }, WAIT_MS)
  return then()
}
