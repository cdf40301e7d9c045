import type { PaymentProvider } from '../kernel/cards.ts'
import { RefusedOutside } from '../kernel/outside-calls.ts'

const DECLINED = /0002$/
const UNKNOWN = /0119$/
/** A card that answers late has answered after this long. */
const LATE_MS = 60_000

const refuseReal = ({ isTestData }: { isTestData: boolean }) => {
  if (!isTestData) throw new RefusedOutside('The sandbox takes no money: it is for test data')
}

/** Cards of test data, by the end of their number: 4242 pays, 0002 is declined, 0119 is unknown for a minute and then paid. */
export function sandboxCards(now: () => number = Date.now): PaymentProvider {
  const asked = new Map<string, number>()
  return {
    name: 'sandbox',
    keySeconds: 23 * 3600,
    charge: async (charge) => {
      refuseReal(charge)
      const { methodRef } = charge.card
      if (DECLINED.test(methodRef)) return { status: 'failed', failureCode: 'card_declined', providerRef: null }
      const first = asked.get(charge.key) ?? now()
      asked.set(charge.key, first)
      if (UNKNOWN.test(methodRef) && now() - first < LATE_MS) throw new Error('The sandbox does not answer for this card yet')
      return { status: 'succeeded', providerRef: `sandbox_${charge.chargeId}`, amount: charge.amount, currency: charge.currency }
    },
    find: () => Promise.resolve(null),
    refund: async (refund) => {
      refuseReal(refund)
      return { status: 'succeeded', providerRef: `sandbox_${refund.refundId}` }
    },
    readNotice: () => null,
  }
}
