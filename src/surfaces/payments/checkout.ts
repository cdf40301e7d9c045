import type { StartedCheckout } from '../../domains/payments/checkout.ts'
import { type Standing, standingOf } from '../../domains/payments/checkout.ts'
import { readCardSetupStatus } from '../../domains/payments/card-setups.ts'
import { makeExternalCallDueNow } from '../../kernel/external-calls.ts'
import type { AppServices } from '../services.ts'
import { createExternalCallRunner } from '../worker/run-external-calls.ts'

interface PaymentScope {
  tenantId: number
  eventId: string
}

/** How long a page waits for a response of the payment processor. */
const MAX_PAGE_WAIT_MS = 8000

const contextOf = ({ database, queue }: AppServices, { tenantId, eventId }: PaymentScope) => ({
  tenantId,
  event: { id: eventId },
  db: database.write,
  queue,
})

/** Returns the processor's payment page for a saved charge. Its `url` is null if the processor did not respond in time; a retry is safe. */
export async function getCheckoutPaymentPage(
  services: AppServices,
  at: PaymentScope,
  { chargeId, callId }: StartedCheckout,
): Promise<Standing> {
  const known = await standingOf(contextOf(services, at), chargeId)
  return known.url !== null ? known : queryProcessor(services, at, callId, () => standingOf(contextOf(services, at), chargeId))
}

/** Returns the current status of a charge, for the page that users return to. The processor is queried unless the charge has ended. */
export async function refreshChargeStatus(services: AppServices, at: PaymentScope, chargeId: string): Promise<Standing> {
  const ctx = contextOf(services, at)
  const known = await standingOf(ctx, chargeId)
  if (known.status === 'succeeded' || known.status === 'failed' || known.callId === null) return known
  return queryProcessor(services, at, known.callId, () => standingOf(ctx, chargeId))
}

/** Returns the current status of saving a card at the processor. */
export async function refreshCardSetupStatus(services: AppServices, at: PaymentScope, setupId: string) {
  const ctx = contextOf(services, at)
  const known = await readCardSetupStatus(ctx, setupId)
  return known.status === 'pending' ? queryProcessor(services, at, known.callId, () => readCardSetupStatus(ctx, setupId)) : known
}

async function queryProcessor<T>(services: AppServices, at: PaymentScope, callId: string, then: () => Promise<T>): Promise<T> {
  await makeExternalCallDueNow(contextOf(services, at), callId, { here: true })
  await createExternalCallRunner(services).settleSoon({ tenantId: at.tenantId, callId }, MAX_PAGE_WAIT_MS)
  return then()
}
