import type { ColumnType, Generated } from 'kysely'
import type { Kept, NullableStamp } from '../../kernel/columns.ts'

/** `until`: it signs along for so long, because a newer one is shown. */
export interface KeptSecret {
  sealed: string
  until?: string
}

export type EndpointStatus = 'active' | 'paused' | 'disabled'
export type DeliveryStatus = 'pending' | 'delivered' | 'exhausted' | 'dropped'

export interface WebhookEndpointsTable {
  tenant_id: number
  id: string
  account_id: string
  url: string
  kinds: string[]
  client_code: string | null
  event_code: string | null
  description: Generated<string>
  status: Generated<EndpointStatus>
  disabled_reason: ColumnType<string | null, string | null | undefined, string | null>
  secrets: ColumnType<KeptSecret[], string, string>
  last_success_at: NullableStamp
  failing_since: NullableStamp
  revision: Kept<number>
  created_at: Kept<Date>
  updated_at: Kept<Date>
}

interface WebhookMessagesTable {
  tenant_id: number
  id: string
  kind: string
  event_id: string | null
  client_id: string | null
  body: string
  full_body: string | null
  created_at: Kept<Date>
}

interface WebhookDeliveriesTable {
  tenant_id: number
  endpoint_id: string
  message_id: string
  kind: string
  status: Generated<DeliveryStatus>
  attempts: Generated<number>
  tries_left: Generated<number>
  next_attempt_at: Generated<Date>
  lease_token: ColumnType<string | null, string | null | undefined, string | null>
  lease_until: NullableStamp
  replayed_at: NullableStamp
  created_at: Kept<Date>
  ended_at: NullableStamp
}

interface WebhookAttemptsTable {
  tenant_id: number
  endpoint_id: string
  message_id: string
  number: number
  at: Generated<Date>
  status: number | null
  ms: number
  error: string | null
  body: string | null
  replay: boolean
}

declare module '../../kernel/columns.ts' {
  interface Tables {
    webhook_endpoints: WebhookEndpointsTable
    webhook_messages: WebhookMessagesTable
    webhook_deliveries: WebhookDeliveriesTable
    webhook_attempts: WebhookAttemptsTable
  }
}
