import type { ColumnType, Generated } from 'kysely'
import type { Kept, NullableStamp } from '../../kernel/columns.ts'

export type CodePurpose = 'assistant' | 'web' | 'company' | 'groupAdmin' | 'signer' | 'report' | 'invite'

interface OneTimeCodesTable {
  tenant_id: number
  id: string
  purpose: CodePurpose
  event_id: string
  email_norm: string
  account_id: string | null
  code_hash: string | null
  link_hash: Buffer | null
  attempts: Generated<number>
  wrong_at: Generated<Date[]>
  created_at: Kept<Date>
  expires_at: ColumnType<Date, Date | string, never>
  used_at: NullableStamp
  burned_at: NullableStamp
  superseded_at: NullableStamp
}

/** As whom somebody is in a browser: with their own registration, or as an admin of groups. */
export type SessionKind = 'person' | 'groupAdmin'

interface PersonSessionsTable {
  tenant_id: number
  hash: Buffer
  kind: Generated<SessionKind>
  event_id: string
  email: string
  participant_ids: Generated<string[]>
  participant_id: string | null
  created_at: Kept<Date>
  last_seen_at: Generated<Date>
  expires_at: ColumnType<Date, Date | string, never>
}

declare module '../../kernel/columns.ts' {
  interface Tables {
    one_time_codes: OneTimeCodesTable
    person_sessions: PersonSessionsTable
  }
}
