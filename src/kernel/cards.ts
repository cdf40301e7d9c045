/** A card as its processor knows it: its number never comes here. */
export interface CardRef {
  customerRef: string
  methodRef: string
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

/** `pending`: the processor has it and does not know yet. */
export type ChargeAnswer =
  | { status: 'succeeded'; providerRef: string; amount: number; currency: string }
  | { status: 'failed'; failureCode: string; providerRef: string | null }
  | { status: 'pending' }

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

/** What a processor tells by itself. It is not believed, only taken as the reason to ask how things stand. */
export interface CardNotice {
  eventId: string
  type: string
  /** Null where it is about nothing of ours. */
  chargeId: string | null
  refundId: string | null
}

/** A card processor. What it does not answer in time is unknown, and thrown; `RefusedOutside` is thrown for what it will never do. */
export interface PaymentProvider {
  name: string
  /** How long it recognises a key, less some. After that a charge is looked for and never asked for again. */
  keySeconds: number
  charge: (charge: CardCharge, signal: AbortSignal) => Promise<ChargeAnswer>
  /** How a charge stands by our own id; null where none ever arrived. */
  find: (chargeId: string, signal: AbortSignal) => Promise<ChargeAnswer | null>
  refund: (refund: CardRefund, signal: AbortSignal) => Promise<RefundAnswer>
  /** Null for what the processor did not sign, or signed too long ago. */
  readNotice: (body: string, signature: string, at: Date) => CardNotice | null
}

export interface CardProcessors {
  /** Null: there are no cards here. Rows of test data meet the sandbox and nothing else, whatever is set. */
  for: (row: { isTestData: boolean }) => PaymentProvider | null
  named: (name: string) => PaymentProvider | null
}
