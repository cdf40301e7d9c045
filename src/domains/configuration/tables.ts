import type { ColumnType, Generated } from 'kysely'
import type { Kept } from '../../kernel/columns.ts'
import type { ConfigDocument, EventConfig } from './schema/event-config.ts'

interface ConfigDraftsTable {
  tenant_id: number
  event_id: string
  document: ColumnType<ConfigDocument, string, string>
  sha256: string
  draft_revision: Generated<number>
  based_on_version: number | null
  restored_from: number | null
  updated_at: Generated<Date>
  updated_by: string | null
  updated_by_name: string | null
}

interface ConfigVersionsTable {
  tenant_id: number
  event_id: string
  number: number
  id: string
  document: ColumnType<ConfigDocument, string, never>
  sha256: string
  note: string | null
  published_at: Generated<Date>
  published_by: string | null
  published_by_name: string
  app_name: string
  based_on_version: number | null
  restored_from: number | null
  counts: ColumnType<Record<string, number>, string, never>
  /** Of the document, by the database alone. */
  badge: Kept<Partial<EventConfig['badge']> | null>
}

interface ConfigChangesTable {
  tenant_id: number
  event_id: string
  draft_revision: number
  tool: string
  operations: ColumnType<unknown, string, never>
  changes: ColumnType<unknown, string, never>
  note: string | null
  actor_id: string
  actor_name: string
  app_name: string
  at: Generated<Date>
}

declare module '../../kernel/columns.ts' {
  interface Tables {
    config_drafts: ConfigDraftsTable
    config_versions: ConfigVersionsTable
    config_changes: ConfigChangesTable
  }
}
