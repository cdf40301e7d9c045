import type { BoothRequest } from '../exhibitors/booth-requests.ts'

export const CHECKOUT_PAYMENT_METHODS = ['card', 'bank', 'cheque', 'onsite'] as const
export type CheckoutPaymentMethod = (typeof CHECKOUT_PAYMENT_METHODS)[number]

/** The acceptance of a policy: its mode, the typed initials or signature, and the hash of the text that was shown. */
export interface PolicyAcceptance {
  at: string
  mode: 'checkbox' | 'initials' | 'signature'
  written: string | null
  sha256: string
}

declare module '../../kernel/columns.ts' {
  interface ColumnTypes {
    'registration_progress.policies': Record<string, PolicyAcceptance>
    'registration_progress.booth_request': BoothRequest
  }
}
