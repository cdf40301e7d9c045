import {
  type ChargeStatusQuery,
  type ChargeResult,
  type PaymentProvider,
  parseSandboxCardReference,
  type SandboxCard,
} from '../kernel/cards.ts'
import { ExternalCallRejectedError } from '../kernel/external-calls.ts'

const DECLINED = /0002$/
const SLOW = /0119$/
/** How long the sandbox reports no result for the test card of slow payments. */
const LATE_MS = 60_000

const requireTestData = ({ isTestData }: { isTestData: boolean }) => {
  if (!isTestData) throw new ExternalCallRejectedError('The sandbox takes no money: it is for test data')
}

/**
 * The sandbox stores its whole state in the reference of its page: `open`, or the entered card and time as written by `formatSandboxCardReference`.
 * It needs no memory, and all processes see the same state.
 */
const OPEN = 'open'

/** Test cards, by the end of their number: 4242 pays, 0002 is declined, 0119 has no result for a minute and then pays. */
export function createSandboxPaymentProvider(now: () => number = Date.now): PaymentProvider {
  const firstAttemptAt = new Map<string, number>()
  const page = (kind: 'pay' | 'setup', id: string, { returnUrl }: { returnUrl: string }) => ({
    ref: OPEN,
    url: new URL(`/sandbox/${kind}/${id}`, returnUrl).href,
  })
  return {
    name: 'sandbox',
    keyLifetimeSeconds: 23 * 3600,
    createCheckout: async (charge, urls) => {
      requireTestData(charge)
      return page('pay', charge.chargeId, urls)
    },
    createSetup: async (setup, urls) => {
      requireTestData(setup)
      return page('setup', setup.setupId, urls)
    },
    chargeSaved: async (charge) => {
      requireTestData(charge)
      const { methodRef } = charge.card
      if (DECLINED.test(methodRef)) return { status: 'failed', failureCode: 'card_declined', providerRef: null }
      const first = firstAttemptAt.get(charge.key) ?? now()
      firstAttemptAt.set(charge.key, first)
      if (SLOW.test(methodRef) && now() - first < LATE_MS) throw new Error('The sandbox has no result for this card yet')
      return { status: 'succeeded', providerRef: `sandbox_${charge.chargeId}`, amount: charge.amount, currency: charge.currency }
    },
    fetch: (charge) => Promise.resolve(readStatus(charge)),
    fetchSetup: async (setup) => {
      const answer = readStatus(setup)
      if (answer?.status === 'succeeded') return { status: 'succeeded', card: answer.card! }
      return answer?.status === 'failed' ? answer : { status: 'pending' }
    },
    expire: async (charge) =>
      charge.checkoutRef === OPEN ? { status: 'failed', failureCode: 'expired', providerRef: null } : readStatus(charge)!,
    refund: async (refund) => {
      requireTestData(refund)
      return { status: 'succeeded', providerRef: `sandbox_${refund.refundId}` }
    },
    fetchReversals: () => Promise.resolve([]),
    list: () => Promise.resolve([]),
    verifyWebhook: () => null,
  }
}

/** Returns the status of a sandbox charge or card setup; null if no payment page was opened for it. */
function readStatus({ id, checkoutRef, at }: ChargeStatusQuery): ChargeResult | null {
  if (checkoutRef === null) return null
  const shown = parseSandboxCardReference(checkoutRef)
  if (!shown) return { status: 'pending' }
  if (DECLINED.test(shown.last4)) return { status: 'failed', failureCode: 'card_declined', providerRef: null }
  if (SLOW.test(shown.last4) && at.getTime() - shown.at < LATE_MS) throw new Error('The sandbox has no result for this card yet')
  const { amount, currency } = shown
  return { status: 'succeeded', providerRef: `sandbox_${id}`, amount, currency, card: cardOf(shown) }
}

const cardOf = ({ last4 }: SandboxCard) => ({
  customerRef: 'sandbox',
  methodRef: `sandbox_${last4}`,
  brand: 'test',
  last4,
  expires: '12/2099',
})
