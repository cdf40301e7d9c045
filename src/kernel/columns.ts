import type { ColumnType, Generated, Kysely } from 'kysely'

/** Every table, by its name in SQL. Each domain adds its own by declaration merging in its `tables.ts`. */
export interface Tables {
  audit_entries: AuditEntries
  idempotency_keys: IdempotencyKeys
  confirmations: Confirmations
  jobs: Jobs
  outside_calls: OutsideCalls
  messages: Messages
  message_attachments: MessageAttachments
}

/** A pool, or inside a change the transaction itself: domains never know which. */
export type Db = Kysely<Tables>

export type Json<T> = ColumnType<T, string, string>
export type NullableStamp = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
/** Set by the database alone. */
export type Kept<T> = ColumnType<T, never, never>

interface AuditEntries {
  tenant_id: number
  id: string
  at: Generated<Date>
  client_id: string | null
  event_id: string | null
  actor_kind: string
  actor_id: string
  actor_name: string
  app_name: string
  app_id: string | null
  tool: string
  targets: Json<unknown>
  searched: Kept<string>
}

interface IdempotencyKeys {
  tenant_id: number
  actor_id: string
  tool: string
  key: string
  arguments_hash: Buffer
  result: ColumnType<unknown, string | null | undefined, string | null>
  created_at: Generated<Date>
}

interface Confirmations {
  tenant_id: number
  nonce: string
  used_at: Generated<Date>
}

interface Jobs {
  tenant_id: number
  id: string
  client_id: string | null
  event_id: string | null
  name: string
  status: Generated<'queued' | 'running' | 'done' | 'failed'>
  input: Json<unknown>
  progress_done: Generated<number>
  progress_total: number | null
  result: ColumnType<unknown, string | null | undefined, string | null>
  error: string | null
  attempts: Generated<number>
  due_at: Generated<Date>
  lease_token: string | null
  lease_until: NullableStamp
  created_by: string
  created_by_name: string
  created_at: Generated<Date>
  started_at: NullableStamp
  finished_at: NullableStamp
}

interface OutsideCalls {
  tenant_id: number
  id: string
  client_id: string | null
  event_id: string | null
  kind: string
  input: Json<unknown>
  status: Generated<'waiting' | 'calling' | 'settled' | 'givenUp'>
  attempts: Generated<number>
  next_attempt_at: Generated<Date>
  lease_token: string | null
  lease_until: NullableStamp
  answer: ColumnType<unknown, string | null | undefined, string | null>
  outcome: ColumnType<unknown, string | null | undefined, string | null>
  created_by: string
  created_by_name: string
  created_at: Generated<Date>
  ended_at: NullableStamp
}

interface Messages {
  tenant_id: number
  id: string
  client_id: string | null
  event_id: string | null
  source_kind: string
  source_id: string
  recipient_key: string
  category: 'signin.code' | 'transactional' | 'operational' | 'marketing'
  lane: number
  email_code: string | null
  to_address: string
  to_name: string | null
  from_name: string | null
  reply_to: string | null
  locale: Generated<string>
  subject: string
  text_body: string
  html_body: string | null
  headers: Json<Record<string, string>>
  status: Generated<string>
  attempts: Generated<number>
  next_attempt_at: Generated<Date>
  lease_until: NullableStamp
  lease_token: string | null
  handed_at: NullableStamp
  sent_at: NullableStamp
  message_id_header: string
  last_error: ColumnType<unknown, string | null | undefined, string | null>
  queued_at: Generated<Date>
  resend_of: string | null
  is_test_data: Generated<boolean>
  searched: Kept<string>
}

interface MessageAttachments {
  tenant_id: number
  message_id: string
  position: number
  name: string
  mime: string
  content_id: string | null
  size: number
  /** Null where it lies in a file, and once the message is old. */
  bytes: Buffer | null
  file_id: Generated<string | null>
}
