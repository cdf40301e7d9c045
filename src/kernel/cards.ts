/** A card as its processor knows it: its number never comes here. */
export interface CardRef {
  customerRef: string
  methodRef: string
}

/** A card that somebody left with their consent, and what of it may be shown. */
export interface KeptCard extends CardRef {
  brand: string | null
  last4: string | null
  /** As `08/2029`. */
  expires: string | null
}

export interface CardCharge {
  /** The same for every try: under one key a card is charged once. */
  key: string
  /** Ours, told back by the processor in everything it says of this charge. */
  chargeId: string
  /** In minor units. */
  amount: number
  currency: string
  card: CardRef
  description: string
  isTestData: boolean
}

export interface CheckoutLine {
  name: string
  /** In minor units, with tax. */
  amount: number
}

/** A charge that the person pays themselves, on the processor's own page. */
export interface CheckoutCharge extends Omit<CardCharge, 'card'> {
  orderId: string | null
  eventId: string
  /** They add up to the amount. */
  lines: readonly CheckoutLine[]
  email: string | null
  /** Only with consent. */
  saveCard: boolean
  expiresAt: Date
}

/** Somebody who leaves a card for later, on the processor's own page. */
export interface CardSetup {
  key: string
  setupId: string
  participantId: string
  eventId: string
  currency: string
  email: string | null
  isTestData: boolean
}

/** Where the person goes from the processor's page: having paid, or having left it. */
export interface CheckoutUrls {
  returnUrl: string
  cancelUrl: string
}

/** The processor's own page: its name there, and its address. */
export interface CheckoutPage {
  ref: string
  url: string
}

/** What a processor is asked about: ours, with its name of the page if it has one. `at` is our clock's. */
export interface Asked {
  id: string
  checkoutRef: string | null
  at: Date
}

/** `pending`: the processor has it and does not know yet. `touched`: some of it has gone back already, or is disputed. */
export type ChargeAnswer =
  | { status: 'succeeded'; providerRef: string; amount: number; currency: string; card?: KeptCard | null; touched?: boolean }
  | { status: 'failed'; failureCode: string; providerRef: string | null }
  | { status: 'pending' }

export type SetupAnswer = { status: 'succeeded'; card: KeptCard } | { status: 'failed'; failureCode: string } | { status: 'pending' }

export interface CardRefund {
  key: string
  refundId: string
  /** Of the charge that is given back, or a part of it. */
  providerRef: string
  amount: number
  currency: string
  isTestData: boolean
}

export type RefundAnswer = { status: 'succeeded'; providerRef: string } | { status: 'failed'; failureCode: string } | { status: 'pending' }

/** Money of a charge that is away again: given back, or taken back by the bank of whoever disputes it. */
export interface TakenBack {
  /** The processor's name of it. */
  ref: string
  kind: 'refund' | 'dispute'
  /** Ours, if we asked for it. */
  refundId: string | null
  amount: number
  /** Whether the money is away now: a refund that failed and a dispute that was won are not. */
  away: boolean
  reason: string
}

/** A payment as the processor's own books have it. */
export interface ListedPayment {
  providerRef: string
  /** Null where it names none of ours. */
  chargeId: string | null
  amount: number
  currency: string
}

/** What a processor tells by itself. It is not believed, only taken as the reason to ask how things stand. */
export interface CardNotice {
  eventId: string
  type: string
  /** Each null where it does not name one of ours. */
  chargeId: string | null
  refundId: string | null
  setupId: string | null
  /** The processor's name of the payment that it is about. */
  providerRef: string | null
  /** Whether it tells of money that went back, or did not after all. */
  takenBack: boolean
}

/** A card processor. What it does not answer in time is unknown, and thrown; `RefusedOutside` is thrown for what it will never do. */
export interface PaymentProvider {
  name: string
  /** How long it recognises a key, less some. After that a charge is looked for and never asked for again. */
  keySeconds: number
  /** Under one key there is one page, however often it is asked for. */
  createCheckout: (charge: CheckoutCharge, urls: CheckoutUrls, signal: AbortSignal) => Promise<CheckoutPage>
  createSetup: (setup: CardSetup, urls: CheckoutUrls, signal: AbortSignal) => Promise<CheckoutPage>
  chargeSaved: (charge: CardCharge, signal: AbortSignal) => Promise<ChargeAnswer>
  /** How a charge stands; null where none ever arrived. */
  fetch: (charge: Asked, signal: AbortSignal) => Promise<ChargeAnswer | null>
  fetchSetup: (setup: Asked & { checkoutRef: string }, signal: AbortSignal) => Promise<SetupAnswer>
  /** Closes the page of a charge, unless somebody has paid there, and tells how it stands then. */
  expire: (charge: Asked & { checkoutRef: string }, signal: AbortSignal) => Promise<ChargeAnswer>
  refund: (refund: CardRefund, signal: AbortSignal) => Promise<RefundAnswer>
  /** What has gone back of a payment, and what came again. */
  fetchTakenBack: (providerRef: string, signal: AbortSignal) => Promise<TakenBack[]>
  /** Everything that was paid in this time. */
  list: (from: Date, until: Date, signal: AbortSignal) => Promise<ListedPayment[]>
  /** Null for what the processor did not sign, or signed too long ago. */
  verifyWebhook: (body: string, signature: string, at: Date) => CardNotice | null
}

export interface CardProcessors {
  /** Null: there are no cards here. Rows of test data meet the sandbox and nothing else, whatever is set. */
  for: (row: { isTestData: boolean }) => PaymentProvider | null
  named: (name: string) => PaymentProvider | null
}

/** A card of test data that was shown on the sandbox's page: what the sandbox goes by, kept as the page's name. */
export interface ShownCard {
  last4: string
  /** In minor units. */
  amount: number
  currency: string
  /** In milliseconds. */
  at: number
}

export const writeShown = ({ last4, amount, currency, at }: ShownCard): string => ['shown', last4, amount, currency, at].join(':')

/** Null for a page on which no card was shown yet. */
export function readShown(ref: string): ShownCard | null {
  const [word, last4, amount, currency, at] = ref.split(':')
  return word === 'shown' ? { last4: last4!, amount: Number(amount), currency: currency!, at: Number(at) } : null
}
