import type { ColumnType } from 'kysely'
import type { Kept, NullableStamp } from '../../kernel/columns.ts'

interface OauthRequestsTable {
  id_hash: Buffer
  session_hash: Buffer | null
  client_id: string
  redirect_uri: string
  state: string | null
  challenge: string
  scope: string
  resource: string
  created_at: Kept<Date>
  expires_at: ColumnType<Date, Date | string, never>
}

interface OauthCodesTable {
  hash: Buffer
  user_id: string
  access_version: number
  client_id: string
  redirect_uri: string
  challenge: string
  scope: string
  resource: string
  expires_at: ColumnType<Date, Date | string, never>
  used_at: NullableStamp
  grant_id: string | null
}

declare module '../../kernel/columns.ts' {
  interface Tables {
    oauth_requests: OauthRequestsTable
    oauth_codes: OauthCodesTable
  }
}
