import type { ColumnType, Generated, JSONColumnType } from 'kysely'
import type { Kept } from '../../kernel/columns.ts'

type When = ColumnType<Date | null, Date | string | null, Date | string | null>

interface SpeakersTable {
  tenant_id: number
  event_id: string
  id: string
  contact_id: string | null
  participant_id: string | null
  first_name: string
  last_name: string
  email: string
  email_norm: Kept<string>
  company: string | null
  job_title: string | null
  bio: string | null
  headshot_file_id: string | null
  links: Generated<string[]>
  country: string | null
  status: Generated<'prospect' | 'invited' | 'confirmed' | 'declined' | 'withdrawn'>
  availability: JSONColumnType<{ from: string; until: string }[], string | undefined, string>
  disclosure: string | null
  answers: JSONColumnType<Record<string, unknown>, string | undefined, string>
  revision: Generated<number>
  created_at: Kept<Date>
  updated_at: Kept<Date>
  searched: Kept<string>
}

interface SessionsTable {
  tenant_id: number
  event_id: string
  id: string
  code: string
  title: string
  abstract: string | null
  track_code: string
  format_code: string
  room_code: string | null
  starts_at: When
  ends_at: When
  capacity: number | null
  submission_id: string | null
  product_code: string | null
  status: Generated<'draft' | 'scheduled' | 'cancelled'>
  revision: Generated<number>
  created_at: Kept<Date>
  updated_at: Kept<Date>
  searched: Kept<string>
}

export type SpeakerRole = 'speaker' | 'moderator' | 'panelist' | 'presenter' | 'author'

interface SessionSpeakersTable {
  tenant_id: number
  event_id: string
  session_id: string
  speaker_id: string
  role: Generated<SpeakerRole>
  position: number
}

export interface SessionEnrolmentsTable {
  tenant_id: number
  event_id: string
  session_id: string
  participant_id: string
  is_test_data: boolean
  status: 'enrolled' | 'waitlisted' | 'cancelled'
  position: ColumnType<number | null, number | null, number | null>
  revision: Generated<number>
  created_at: Kept<Date>
  updated_at: Kept<Date>
}

declare module '../../kernel/columns.ts' {
  interface Tables {
    speakers: SpeakersTable
    sessions: SessionsTable
    session_speakers: SessionSpeakersTable
    session_enrolments: SessionEnrolmentsTable
  }
}
