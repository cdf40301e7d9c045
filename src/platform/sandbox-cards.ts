import { type Asked, type ChargeAnswer, type PaymentProvider, readShown, type ShownCard } from '../kernel/cards.ts'
import { RefusedOutside } from '../kernel/outside-calls.ts'

const DECLINED = /0002$/
const UNKNOWN = /0119$/
/** A card that answers late has answered after this long. */
const LATE_MS = 60_000

const refuseReal = ({ isTestData }: { isTestData: boolean }) => {
  if (!isTestData) throw new RefusedOutside('The sandbox takes no money: it is for test data')
}

/**
 * A page of the sandbox keeps all that it knows in its own name, which is kept for it: which card was shown and when. So it needs no memory,
 * and every process knows the same. `open`, or what `shown` of the kernel writes.
 */
const OPEN = 'open'

/** Cards of test data, by the end of their number: 4242 pays, 0002 is declined, 0119 is unknown for a minute and then paid. */
export function sandboxCards(now: () => number = Date.now): PaymentProvider {
  const asked = new Map<string, number>()
  const page = (kind: 'pay' | 'setup', id: string, { returnUrl }: { returnUrl: string }) => ({
    ref: OPEN,
    url: new URL(`/sandbox/${kind}/${id}`, returnUrl).href,
  })
  return {
    name: 'sandbox',
    keySeconds: 23 * 3600,
    createCheckout: async (charge, urls) => {
      refuseReal(charge)
      return page('pay', charge.chargeId, urls)
    },
    createSetup: async (setup, urls) => {
      refuseReal(setup)
      return page('setup', setup.setupId, urls)
    },
    chargeSaved: async (charge) => {
      refuseReal(charge)
      const { methodRef } = charge.card
      if (DECLINED.test(methodRef)) return { status: 'failed', failureCode: 'card_declined', providerRef: null }
      const first = asked.get(charge.key) ?? now()
      asked.set(charge.key, first)
      if (UNKNOWN.test(methodRef) && now() - first < LATE_MS) throw new Error('The sandbox does not answer for this card yet')
      return { status: 'succeeded', providerRef: `sandbox_${charge.chargeId}`, amount: charge.amount, currency: charge.currency }
    },
    fetch: (charge) => Promise.resolve(standing(charge)),
    fetchSetup: async (setup) => {
      const answer = standing(setup)
      if (answer?.status === 'succeeded') return { status: 'succeeded', card: answer.card! }
      return answer?.status === 'failed' ? answer : { status: 'pending' }
    },
    expire: async (charge) =>
      charge.checkoutRef === OPEN ? { status: 'failed', failureCode: 'expired', providerRef: null } : standing(charge)!,
    refund: async (refund) => {
      refuseReal(refund)
      return { status: 'succeeded', providerRef: `sandbox_${refund.refundId}` }
    },
    fetchTakenBack: () => Promise.resolve([]),
    list: () => Promise.resolve([]),
    verifyWebhook: () => null,
  }
}

/** Null where there is no page. */
function standing({ id, checkoutRef, at }: Asked): ChargeAnswer | null {
  if (checkoutRef === null) return null
  const shown = readShown(checkoutRef)
  if (!shown) return { status: 'pending' }
  if (DECLINED.test(shown.last4)) return { status: 'failed', failureCode: 'card_declined', providerRef: null }
  if (UNKNOWN.test(shown.last4) && at.getTime() - shown.at < LATE_MS) throw new Error('The sandbox does not answer for this card yet')
  const { amount, currency } = shown
  return { status: 'succeeded', providerRef: `sandbox_${id}`, amount, currency, card: cardOf(shown) }
}

const cardOf = ({ last4 }: ShownCard) => ({
  customerRef: 'sandbox',
  methodRef: `sandbox_${last4}`,
  brand: 'test',
  last4,
  expires: '12/2099',
})
