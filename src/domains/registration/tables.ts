import type { Generated } from 'kysely'
import type { Kept } from '../../kernel/columns.ts'

interface ParticipantsTable {
  tenant_id: number
  event_id: string
  id: string
  status: Generated<'incomplete' | 'complete' | 'waitlisted' | 'cancelled'>
  is_test_data: Generated<boolean>
  revision: Kept<number>
  created_at: Kept<Date>
  updated_at: Kept<Date>
}

declare module '../../kernel/columns.ts' {
  interface Tables {
    participants: ParticipantsTable
  }
}
