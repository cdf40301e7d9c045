import type { Generated } from 'kysely'
import type { Kept, NullableStamp } from '../../kernel/columns.ts'

export interface MemoriesTable {
  tenant_id: number
  id: string
  client_id: string
  event_id: string | null
  title: string
  body: string
  tags: Generated<string[]>
  pinned: Generated<boolean>
  source: Generated<'assistant' | 'organizer'>
  created_by: string
  expires_at: NullableStamp
  words: Kept<string>
  searched: Kept<string>
  revision: Kept<number>
  created_at: Kept<Date>
  updated_at: Kept<Date>
}

interface CustomInstructionsTable {
  tenant_id: number
  id: string
  client_id: string
  event_id: string | null
  body: string
  updated_by: string
  revision: Kept<number>
  created_at: Kept<Date>
  updated_at: Kept<Date>
}

declare module '../../kernel/columns.ts' {
  interface Tables {
    memories: MemoriesTable
    custom_instructions: CustomInstructionsTable
  }
}
