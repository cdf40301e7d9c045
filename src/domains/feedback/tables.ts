import type { ColumnType, Generated } from 'kysely'
import type { Kept } from '../../kernel/columns.ts'

export const SOURCES = ['console', 'page', 'docs', 'error', 'cli'] as const
export const KINDS = ['bug', 'idea', 'question', 'praise', 'error'] as const
export const STATUSES = ['new', 'triaged', 'planned', 'fixed', 'declined', 'duplicate'] as const

export type Source = (typeof SOURCES)[number]
export type Kind = (typeof KINDS)[number]
export type Status = (typeof STATUSES)[number]

interface ErrorReference {
  reference: string
  at: string
}

export interface FeedbackTable {
  id: string
  source: Source
  kind: Kind
  body: string
  page: string | null
  tool: string | null
  error_ref: string | null
  error_references: ColumnType<ErrorReference[], string | undefined, string>
  fingerprint: string | null
  tenant_code: string | null
  client_code: string | null
  event_code: string | null
  contact_email: string | null
  app_version: string
  count: Generated<number>
  first_at: Generated<Date>
  last_at: Generated<Date>
  status: Generated<Status>
  duplicate_of: string | null
  fixed_in: string | null
  assignee: string | null
  searched: Kept<string>
  revision: Kept<number>
  updated_at: Kept<Date>
}

interface FeedbackNotesTable {
  feedback_id: string
  id: string
  at: Kept<Date>
  kind: 'note' | 'change'
  author: string
  body: string
}

declare module '../../kernel/columns.ts' {
  interface Tables {
    feedback: FeedbackTable
    feedback_notes: FeedbackNotesTable
  }
}
