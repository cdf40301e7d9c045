import type { Generated } from 'kysely'
import type { Json, Kept } from '../../kernel/columns.ts'

interface ParticipantsTable {
  tenant_id: number
  event_id: string
  id: string
  status: Generated<'incomplete' | 'complete' | 'waitlisted' | 'cancelled'>
  is_test_data: Generated<boolean>
  first_name: string | null
  last_name: string | null
  email: string | null
  email_norm: Kept<string | null>
  flow_slug: string | null
  manual_tags: Generated<string[]>
  directory_tags: Generated<string[]>
  custom_field_responses: Json<Record<string, unknown>>
  revision: Kept<number>
  created_at: Kept<Date>
  updated_at: Kept<Date>
}

declare module '../../kernel/columns.ts' {
  interface Tables {
    participants: ParticipantsTable
  }
}
