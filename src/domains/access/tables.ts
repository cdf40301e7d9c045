import type { ColumnType, Generated } from 'kysely'
import type { Kept, NullableStamp } from '../../kernel/columns.ts'

interface UsersTable {
  id: string
  tenant_id: number
  email: string
  email_norm: Kept<string>
  name: string
  active: Generated<boolean>
  password_hash: string | null
  access_version: Generated<number>
  totp_secret: ColumnType<string | null, string | null | undefined, string | null>
  totp_begun_at: NullableStamp
  totp_confirmed_at: NullableStamp
  totp_last_step: ColumnType<number | null, number | null | undefined, number | null>
  password_changed_at: NullableStamp
  last_seen_at: NullableStamp
  language: ColumnType<string | null, never, string | null>
  checklist_hidden_at: NullableStamp
  searched: Kept<string>
  revision: Kept<number>
  created_at: Kept<Date>
  updated_at: Kept<Date>
}

interface MembershipsTable {
  tenant_id: number
  user_id: string
  client_id: string
  role: string
  created_at: Kept<Date>
}

interface EventStaffTable {
  tenant_id: number
  event_id: string
  user_id: string
  role: string
  assigned_by: string | null
  note: string | null
  /** When the present role was given. */
  created_at: ColumnType<Date, never, Date>
}

export interface CoveredClient {
  tenantCode: string
  clientCode: string
}

export interface CoveredEvent extends CoveredClient {
  eventCode: string
}

export interface ApiAccountsTable {
  tenant_id: number
  id: string
  name: string
  active: Generated<boolean>
  can_act_as_participant_agent: Generated<boolean>
  rest_access: Generated<boolean>
  sensitive_data: Generated<boolean>
  contact_email: string | null
  allowed_tenants: Generated<string[]>
  allowed_clients: ColumnType<CoveredClient[], string | undefined, string>
  allowed_events: ColumnType<CoveredEvent[], string | undefined, string>
  rate_limit_per_minute: Generated<number>
  otp_suspended_at: NullableStamp
  otp_suspended_reason: string | null
  otp_lifted_at: NullableStamp
  revision: Kept<number>
  created_at: Kept<Date>
  updated_at: Kept<Date>
}

interface ApiTokensTable {
  hash: Buffer
  tenant_id: number
  account_id: string
  hint: string
  created_at: Kept<Date>
  expires_at: NullableStamp
  revoked_at: NullableStamp
  last_used_at: NullableStamp
}

interface OauthClientsTable {
  id: string
  name: string
  redirect_uris: Generated<string[]>
  secret_hash: ColumnType<Buffer | null, Buffer | null | undefined, Buffer | null>
  auth_method: Generated<'none' | 'client_secret_basic' | 'client_secret_post'>
  fetched_at: NullableStamp
  first_grant_at: NullableStamp
  created_at: Kept<Date>
}

interface OauthGrantsTable {
  id: string
  tenant_id: number
  user_id: string
  client_id: string
  resource: string
  access_version: number
  connected_at: Generated<Date>
  last_used_at: Generated<Date>
  revoked_at: NullableStamp
  revoked_because: string | null
  scope: Generated<string>
  website: Generated<string>
}

interface OauthTokensTable {
  hash: Buffer
  kind: 'access' | 'refresh'
  grant_id: string
  created_at: Kept<Date>
  expires_at: ColumnType<Date, Date | string, never>
  rotated_at: NullableStamp
  successor_nonce: ColumnType<Buffer | null, Buffer | null | undefined, Buffer | null>
  successor_hash: ColumnType<Buffer | null, Buffer | null | undefined, Buffer | null>
}

interface RateWindowsTable {
  key: string
  window_start: Date
  count: number
}

declare module '../../kernel/columns.ts' {
  interface Tables {
    users: UsersTable
    memberships: MembershipsTable
    event_staff: EventStaffTable
    api_accounts: ApiAccountsTable
    api_tokens: ApiTokensTable
    oauth_clients: OauthClientsTable
    oauth_grants: OauthGrantsTable
    oauth_tokens: OauthTokensTable
    rate_windows: RateWindowsTable
  }
}
