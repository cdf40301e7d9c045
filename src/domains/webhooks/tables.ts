import type { Tables } from '../../kernel/columns.ts'
import type { DELIVERY_STATES } from './states.ts'

/** An encrypted signing secret. The previous secret has `until`: messages are signed with it too until then. */
export interface SealedSecret {
  sealed: string
  until?: string
}

export type DeliveryStatus = (typeof DELIVERY_STATES.all)[number]

export type WebhookEndpointsTable = Tables['webhook_endpoints']

declare module '../../kernel/columns.ts' {
  interface ColumnTypes {
    'webhook_endpoints.secrets': SealedSecret[]
  }
}
