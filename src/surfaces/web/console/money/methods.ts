import { PAYMENT_METHODS, type PaymentMethod } from '../../../../domains/orders/tables.ts'

export const PAYMENT_METHOD_LABELS: Record<PaymentMethod, string> = {
  card: 'Card',
  bank: 'Bank transfer',
  cheque: 'Cheque',
  cash: 'Cash',
  other: 'Other',
}

/** Payment methods that users can record. Card payments through the processor are not offered, because they are recorded automatically. */
export const MANUAL_PAYMENT_METHODS: readonly PaymentMethod[] = PAYMENT_METHODS.filter((method) => method !== 'card')

export const PAYMENT_METHOD_OPTIONS = PAYMENT_METHODS.map((value) => ({ value, label: PAYMENT_METHOD_LABELS[value] }))
