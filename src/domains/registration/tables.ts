import type { ColumnType, Generated } from 'kysely'
import type { Json, Kept, NullableStamp } from '../../kernel/columns.ts'
import type { Sharing } from '../configuration/sharing.ts'

export const PARTICIPANT_STATUSES = ['incomplete', 'complete', 'waitlisted', 'cancelled'] as const
export type ParticipantStatus = (typeof PARTICIPANT_STATUSES)[number]
export const SOURCES = ['web', 'assistant', 'organizer', 'import', 'group', 'rehearsal'] as const
export const AVATAR_CHOICES = ['headshot', 'avatar'] as const

/** How a profile came to be. */
export interface ProfileOrigin {
  /** `embedded`, or the model that wrote it. */
  generator: string
  tone: string
  language: string
  usedFields: readonly string[]
  generatedAt: string
}

type Optional<T> = ColumnType<T | null, T | null | undefined, T | null>

export interface ParticipantsTable {
  tenant_id: number
  event_id: string
  id: string
  status: Generated<ParticipantStatus>
  is_test_data: Generated<boolean>
  first_name: Optional<string>
  last_name: Optional<string>
  email: Optional<string>
  email_norm: Kept<string | null>
  prefix: Optional<string>
  suffix: Optional<string>
  preferred_name: Optional<string>
  pronouns: Optional<string>
  job_title: Optional<string>
  company: Optional<string>
  department: Optional<string>
  bio: Optional<string>
  headshot: Optional<string>
  website: Optional<string>
  linkedin: Optional<string>
  work_phone: Optional<string>
  mobile_phone: Optional<string>
  address1: Optional<string>
  address2: Optional<string>
  city: Optional<string>
  region: Optional<string>
  postal_code: Optional<string>
  country: Optional<string>
  language: Optional<string>
  dietary: Optional<string>
  accessibility: Optional<string>
  emergency_name: Optional<string>
  emergency_phone: Optional<string>
  flow_slug: Optional<string>
  manual_tags: Generated<string[]>
  directory_tags: Generated<string[]>
  tags: Generated<string[]>
  custom_field_responses: ColumnType<Record<string, unknown>, string | undefined, string>
  answers: ColumnType<Record<string, unknown>, string | undefined, string>
  sharing: ColumnType<Sharing, string | undefined, string>
  visible_to_participants: Generated<boolean>
  avatar_choice: Generated<(typeof AVATAR_CHOICES)[number]>
  ai_avatar_file_id: Optional<string>
  ai_profile: Optional<string>
  ai_profile_origin: ColumnType<ProfileOrigin | null, string | null | undefined, string | null>
  confirmation_number: Optional<string>
  badge_id: Optional<string>
  group_id: Optional<string>
  group_leader: Generated<boolean>
  host_id: Optional<string>
  /** Of the person across events: null without an address, and for test data. */
  contact_id: Optional<string>
  guest_type: Optional<string>
  /** Of which their registration is one use. */
  discount_code: Optional<string>
  source: Generated<(typeof SOURCES)[number]>
  version_id: Optional<string>
  completed_at: NullableStamp
  cancelled_at: NullableStamp
  cancel_reason: Optional<string>
  substituted_by_id: Optional<string>
  substitutes_id: Optional<string>
  import_run_id: Optional<string>
  test_run_id: Optional<string>
  name_norm: Kept<string>
  searched: Kept<string>
  revision: Kept<number>
  /** Set only where history is brought along. */
  created_at: Generated<Date>
  updated_at: Kept<Date>
}

interface WaitlistEntriesTable {
  tenant_id: number
  event_id: string
  id: string
  participant_id: string
  is_test_data: boolean
  /** `product:<code>`, `flow:<slug>` or `event`. */
  target: string
  quantity: Generated<number>
  position: number
  status: Generated<'waiting' | 'offered' | 'promoted' | 'removed'>
  offered_until: NullableStamp
  priced_at: NullableStamp
  reason: Optional<string>
  joined_at: Generated<Date>
  ended_at: NullableStamp
}

interface InviteListEntriesTable {
  tenant_id: number
  event_id: string
  id: string
  flow_slug: string
  email: string
  email_norm: Kept<string>
  first_name: Optional<string>
  last_name: Optional<string>
  company: Optional<string>
  tags: Generated<string[]>
  token_hash: Buffer
  status: Generated<'invited' | 'opened' | 'registered' | 'declined' | 'removed'>
  participant_id: Optional<string>
  created_at: Kept<Date>
}

export interface VisitedPage {
  code: string
  enteredAt: string
  leftAt: string | null
  skipped: boolean
  validationErrors: Record<string, number>
}

interface FlowVisitsTable {
  tenant_id: number
  event_id: string
  id: string
  flow_slug: string
  version_id: Optional<string>
  participant_id: Optional<string>
  is_test_data: Generated<boolean>
  device: 'desktop' | 'mobile' | 'assistant' | 'organizer'
  utm: Json<Record<string, string>>
  pages: Json<VisitedPage[]>
  outcome: Optional<'completed' | 'waitlisted'>
  started_at: Generated<Date>
  last_seen_at: Generated<Date>
  completed_at: NullableStamp
}

declare module '../../kernel/columns.ts' {
  interface Tables {
    participants: ParticipantsTable
    waitlist_entries: WaitlistEntriesTable
    invite_list_entries: InviteListEntriesTable
    flow_visits: FlowVisitsTable
  }
}
