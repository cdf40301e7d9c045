/** A card as the payment processor identifies it. Card numbers never reach this server. */
export interface ProcessorCardRef {
  customerRef: string
  methodRef: string
}

/** A card saved with the cardholder's consent, and the details of it that may be shown. */
export interface SavedCard extends ProcessorCardRef {
  brand: string | null
  last4: string | null
  /** Expiry of the card, formatted as `08/2029`. */
  expires: string | null
}

export interface CardCharge {
  /** The idempotency key, the same for every attempt, so that the card is charged once. */
  key: string
  /** Our id of the charge, which the processor repeats in everything it reports about it. */
  chargeId: string
  /** The amount to charge in minor units. */
  amount: number
  currency: string
  card: ProcessorCardRef
  description: string
  isTestData: boolean
}

export interface CheckoutLineItem {
  name: string
  /** Price of the line item in minor units, including tax. */
  amount: number
}

/** A charge that the participant pays on the processor's hosted page. */
export interface CheckoutCharge extends Omit<CardCharge, 'card'> {
  orderId: string | null
  eventId: string
  /** The lines of the payment page, whose prices add up to `amount`. */
  lines: readonly CheckoutLineItem[]
  email: string | null
  /** Whether to save the card; true only with the participant's consent. */
  saveCard: boolean
  expiresAt: Date
}

/** A request to save a card for later charges. The participant enters the card on the processor's hosted page. */
export interface CardSetupRequest {
  key: string
  setupId: string
  participantId: string
  eventId: string
  currency: string
  email: string | null
  isTestData: boolean
}

/** The URLs to which the processor's page sends the participant after paying and after cancelling. */
export interface CheckoutUrls {
  returnUrl: string
  cancelUrl: string
}

/** The processor's hosted page: its reference and its URL. */
export interface CheckoutPage {
  ref: string
  url: string
}

/** Identifies the charge or card setup whose status is queried. `at` is the time when Lanyard created it. */
export interface ChargeStatusQuery {
  id: string
  checkoutRef: string | null
  at: Date
}

/** `pending`: the processor has the charge but no result yet. `touched`: part of the charge is already refunded or disputed. */
export type ChargeResult =
  | { status: 'succeeded'; providerRef: string; amount: number; currency: string; card?: SavedCard | null; touched?: boolean }
  | { status: 'failed'; failureCode: string; providerRef: string | null }
  | { status: 'pending' }

export type CardSetupResult = { status: 'succeeded'; card: SavedCard } | { status: 'failed'; failureCode: string } | { status: 'pending' }

export interface CardRefundRequest {
  key: string
  refundId: string
  /** The processor's reference of the charge that is refunded in full or in part. */
  providerRef: string
  amount: number
  currency: string
  isTestData: boolean
}

export type RefundResult = { status: 'succeeded'; providerRef: string } | { status: 'failed'; failureCode: string } | { status: 'pending' }

/** Money of a charge that was refunded, or withdrawn by the cardholder's bank in a dispute. */
export interface PaymentReversal {
  /** The processor's reference of the refund or dispute. */
  ref: string
  kind: 'refund' | 'dispute'
  /** Our id of the refund, if we requested it. */
  refundId: string | null
  amount: number
  /** Whether the money is currently withdrawn. False for a failed refund and for a dispute that we won. */
  away: boolean
  reason: string
}

/** A payment as the processor's own records list it. */
export interface ProcessorPayment {
  providerRef: string
  /** Our id of the charge; null if the payment names none of our charges. */
  chargeId: string | null
  amount: number
  currency: string
}

/** A webhook notification from the processor. Its content is not trusted; it only triggers a status query. */
export interface CardProcessorNotification {
  eventId: string
  type: string
  /** Our id of the charge. Like the other ids here, it is null if the notification does not contain it. */
  chargeId: string | null
  refundId: string | null
  setupId: string | null
  /** The processor's reference of the payment concerned. */
  providerRef: string | null
  /** Whether the notification concerns a refund or a dispute. */
  takenBack: boolean
}

/**
 * A payment processor. A call that gets no answer in time throws, and its result is unknown. `ExternalCallRejectedError` means that the
 * processor will never accept the call.
 */
export interface PaymentProvider {
  name: string
  /**
   * How long the processor recognises an idempotency key, with a safety margin. After that, the status of a charge is only queried, and the
   * charge is never requested again.
   */
  keyLifetimeSeconds: number
  /** Creates a payment page. Repeated calls with the same idempotency key return the same page. */
  createCheckout: (charge: CheckoutCharge, urls: CheckoutUrls, signal: AbortSignal) => Promise<CheckoutPage>
  createSetup: (setup: CardSetupRequest, urls: CheckoutUrls, signal: AbortSignal) => Promise<CheckoutPage>
  chargeSaved: (charge: CardCharge, signal: AbortSignal) => Promise<ChargeResult>
  /** Returns the status of a charge, or null if the processor never received it. */
  fetch: (charge: ChargeStatusQuery, signal: AbortSignal) => Promise<ChargeResult | null>
  fetchSetup: (setup: ChargeStatusQuery & { checkoutRef: string }, signal: AbortSignal) => Promise<CardSetupResult>
  /** Closes the payment page of a charge unless it is already paid, and returns the status of the charge. */
  expire: (charge: ChargeStatusQuery & { checkoutRef: string }, signal: AbortSignal) => Promise<ChargeResult>
  refund: (refund: CardRefundRequest, signal: AbortSignal) => Promise<RefundResult>
  /** Lists refunds and disputes of a payment, including those that were reverted. */
  fetchReversals: (providerRef: string, signal: AbortSignal) => Promise<PaymentReversal[]>
  /** Lists all payments that the processor recorded between `from` and `until`. */
  list: (from: Date, until: Date, signal: AbortSignal) => Promise<ProcessorPayment[]>
  /** Verifies a webhook notification. Null if the signature is invalid or too old. */
  verifyWebhook: (body: string, signature: string, at: Date) => CardProcessorNotification | null
}

export interface CardProcessors {
  /** Returns the payment processor; null if card payments are not configured. Charges of test data always use the sandbox. */
  for: (row: { isTestData: boolean }) => PaymentProvider | null
  byName: (name: string) => PaymentProvider | null
}

/** A test card entered on the sandbox page, stored in the page's reference. The sandbox derives all its answers from it. */
export interface SandboxCard {
  last4: string
  /** The charged amount in minor units. */
  amount: number
  currency: string
  /** When the card was entered, in milliseconds since the epoch. */
  at: number
}

export const formatSandboxCardReference = ({ last4, amount, currency, at }: SandboxCard): string =>
  ['shown', last4, amount, currency, at].join(':')

/** Parses the test card from the reference of a sandbox page. Null if no card was entered on the page yet. */
export function parseSandboxCardReference(ref: string): SandboxCard | null {
  const [word, last4, amount, currency, at] = ref.split(':')
  return word === 'shown' ? { last4: last4!, amount: Number(amount), currency: currency!, at: Number(at) } : null
}
