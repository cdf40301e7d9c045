import type { ColumnType, Generated } from 'kysely'
import type { Kept, NullableStamp } from '../../kernel/columns.ts'

interface RecoveryCodesTable {
  user_id: string
  hash: Buffer
  used_at: NullableStamp
}

interface BrowserSessionsTable {
  token_hash: Buffer
  kind: Generated<'organizer'>
  user_id: string
  totp_pending: Generated<boolean>
  user_agent: Generated<string>
  created_at: Kept<Date>
  last_seen_at: Generated<Date>
  expires_at: ColumnType<Date, Date | string, Date | string>
}

interface PasswordLinksTable {
  hash: Buffer
  user_id: string
  kind: 'reset' | 'invite'
  created_at: Kept<Date>
  expires_at: ColumnType<Date, Date | string, never>
  used_at: NullableStamp
}

interface SignInFailuresTable {
  id: Kept<number>
  account: string
  address: string
  at: Generated<Date>
}

interface SetupKeysTable {
  hash: Buffer
  created_at: Kept<Date>
  used_at: NullableStamp
}

declare module '../../kernel/columns.ts' {
  interface Tables {
    recovery_codes: RecoveryCodesTable
    browser_sessions: BrowserSessionsTable
    password_links: PasswordLinksTable
    sign_in_failures: SignInFailuresTable
    setup_keys: SetupKeysTable
  }
}
