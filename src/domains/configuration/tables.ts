import type { ConfigDocument, EventConfig } from './schema/event-config.ts'

declare module '../../kernel/columns.ts' {
  interface ColumnTypes {
    'config_drafts.document': ConfigDocument
    'config_versions.document': ConfigDocument
    'config_versions.counts': Record<string, number>
    'config_versions.badge': Partial<EventConfig['badge']>
  }
}
