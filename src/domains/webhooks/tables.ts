import type { Tables } from '../../kernel/columns.ts'
/** `until`: it signs along for so long, because a newer one is shown. */
export interface KeptSecret {
  sealed: string
  until?: string
}

export type EndpointStatus = 'active' | 'paused' | 'disabled'
export type DeliveryStatus = 'pending' | 'delivered' | 'exhausted' | 'dropped'

export type WebhookEndpointsTable = Tables['webhook_endpoints']

declare module '../../kernel/columns.ts' {
  interface ColumnTypes {
    'webhook_endpoints.secrets': KeptSecret[]
  }
}
