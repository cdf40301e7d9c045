import type { Tables } from '../../kernel/columns.ts'
/** `until` is set for the previous secret, which signs along until then. */
export interface SealedSecret {
  sealed: string
  until?: string
}

export type DeliveryStatus = 'pending' | 'delivered' | 'exhausted' | 'dropped'

export type WebhookEndpointsTable = Tables['webhook_endpoints']

declare module '../../kernel/columns.ts' {
  interface ColumnTypes {
    'webhook_endpoints.secrets': SealedSecret[]
  }
}
