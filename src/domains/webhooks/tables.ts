import type { Tables } from '../../kernel/columns.ts'
import type { DELIVERY_STATES } from './states.ts'

/** An encrypted signing secret. A previous secret has `until`: until that time, messages are signed with it as well. */
export interface EncryptedSigningSecret {
  sealed: string
  until?: string
}

export type WebhookDeliveryStatus = (typeof DELIVERY_STATES.all)[number]

export type WebhookEndpointsTable = Tables['webhook_endpoints']

declare module '../../kernel/columns.ts' {
  interface ColumnTypes {
    'webhook_endpoints.secrets': EncryptedSigningSecret[]
  }
}
