import type { ColumnType, Generated } from 'kysely'
import type { Json, Kept, NullableStamp } from '../../kernel/columns.ts'
import type {
  DirectoryAuth,
  DirectoryBinding,
  DirectoryOutcome,
  DirectoryRequests,
  DirectoryStep,
  DirectoryTagRule,
} from './engine/spec.ts'

export const CONNECTION_STATUSES = ['draft', 'ready', 'failing', 'disabled'] as const
export type ConnectionStatus = (typeof CONNECTION_STATUSES)[number]

export const ON_FAILURE = ['allow', 'block', 'queue'] as const
export type OnFailure = (typeof ON_FAILURE)[number]

/** How the last test went: steps and outcome, nothing of the person it asked for. */
export interface LastTest {
  at: string
  ok: boolean
  outcome: DirectoryOutcome
  httpStatus: number | null
  steps: DirectoryStep[]
}

/** Where something stood in the record of a passed test, and of which type; never what. */
export interface SampleSource {
  expression: string
  sampleType: string
}

export interface ConnectionsTable {
  tenant_id: number
  event_id: string
  id: string
  code: string
  name: string
  preset: string
  base_url: string
  settings: Json<Record<string, string>>
  auth: Json<DirectoryAuth>
  requests: Json<DirectoryRequests>
  bindings: Json<DirectoryBinding[]>
  tag_rules: Json<DirectoryTagRule[]>
  cache_minutes: Generated<number>
  timeout_ms: Generated<number>
  on_failure: Generated<OnFailure>
  status: Generated<ConnectionStatus>
  last_test: ColumnType<LastTest | null, string | null | undefined, string | null>
  sources: ColumnType<SampleSource[] | null, string | null | undefined, string | null>
  failures: Generated<number>
  opened_at: NullableStamp
  next_try_at: NullableStamp
  revision: Kept<number>
  created_at: Kept<Date>
  updated_at: Kept<Date>
}

export interface CredentialsTable {
  tenant_id: number
  event_id: string
  connection_id: string
  name: string
  sealed: string
  hint: string | null
  set_at: Generated<Date>
  set_by: string
}

interface LookupsTable {
  tenant_id: number
  event_id: string
  connection_id: string
  id: string
  key_hash: Buffer
  outcome: DirectoryOutcome
  status: number | null
  ms: number | null
  tags_given: Generated<string[]>
  cache_hit: Generated<boolean>
  at: Kept<Date>
  answer: string | null
  expires_at: NullableStamp
  asked: string | null
}

interface ListEntriesTable {
  tenant_id: number
  event_id: string
  connection_id: string
  id: string
  email_hash: Buffer | null
  member_number_hash: Buffer | null
  sealed: string
}

declare module '../../kernel/columns.ts' {
  interface Tables {
    directory_connections: ConnectionsTable
    directory_credentials: CredentialsTable
    directory_lookups: LookupsTable
    directory_list_entries: ListEntriesTable
  }
}
