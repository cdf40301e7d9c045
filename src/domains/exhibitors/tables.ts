import type { ColumnType, Generated } from 'kysely'
import type { Json, Kept, NullableStamp } from '../../kernel/columns.ts'
import type { Obstacle, Outline, Poi, Polygon, Scale, Zone } from './floor/plan-shapes.ts'

type Optional<T> = ColumnType<T | null, T | null | undefined, T | null>
type Stamp = ColumnType<Date, Date | string, Date | string>
type DefaultJson<T> = ColumnType<T, string | undefined, string>

interface AtEvent {
  tenant_id: number
  event_id: string
  id: string
}

interface Edited {
  revision: Kept<number>
  created_at: Kept<Date>
  updated_at: Kept<Date>
}

interface OrganizationsTable extends Edited {
  tenant_id: number
  id: string
  client_id: string
  name: string
  name_norm: Kept<string>
  aliases: Generated<string[]>
  domain: Optional<string>
  is_test_data: Generated<boolean>
}

interface CompaniesTable extends AtEvent, Edited {
  organization_id: string
  code: string
  name: string
  name_norm: Kept<string>
  description: Optional<string>
  logo_file_id: Optional<string>
  website: Optional<string>
  country: Optional<string>
  categories: Generated<string[]>
  sponsor_level: Optional<string>
  sponsor_amount: Optional<number>
  contact_name: Optional<string>
  contact_email: Optional<string>
  contact_phone: Optional<string>
  billing: DefaultJson<Record<string, unknown>>
  external_id: Optional<string>
  activation_code: string
  activation_hmac: string
  appointments_enabled: Generated<boolean>
  status: Generated<'prospect' | 'invited' | 'active' | 'cancelled'>
  is_test_data: Generated<boolean>
  searched: Kept<string>
}

interface CompanyCompetitorsTable {
  tenant_id: number
  event_id: string
  company_id: string
  competitor_id: string
}

interface ExhibitorStaffTable extends AtEvent, Edited {
  company_id: string
  participant_id: Optional<string>
  is_test_data: boolean
  name: string
  email: string
  email_norm: Kept<string>
  role: 'admin' | 'staff' | 'contact'
  status: Generated<'invited' | 'registered' | 'removed'>
  pass: Generated<'free' | 'paid'>
}

interface FloorPlansTable extends AtEvent, Edited {
  code: string
  name: string
  units: 'm' | 'ft'
  outline: Json<Outline>
  source: Generated<'svg' | 'dxf' | 'pdf' | 'image' | 'drawn'>
  source_file_id: Optional<string>
  source_to_plan: ColumnType<number[] | null, string | null | undefined, string | null>
  scale: DefaultJson<Scale>
  obstacles: DefaultJson<Obstacle[]>
  aisles: DefaultJson<unknown[]>
  zones: DefaultJson<Zone[]>
  pois: DefaultJson<Poi[]>
  status: Generated<'draft' | 'published' | 'archived'>
}

interface BoothsTable extends AtEvent, Edited {
  floor_plan_id: string
  number: string
  polygon: Json<Polygon>
  size_code: Optional<string>
  zone_code: Optional<string>
  price_override: Optional<number>
  status: Generated<'available' | 'held' | 'assigned' | 'blocked' | 'merged'>
  held_for: Optional<string>
  held_until: NullableStamp
  merged_into: Optional<string>
  utilities: Generated<string[]>
  note: Optional<string>
}

interface BoothAssignmentsTable extends AtEvent {
  booth_id: string
  company_id: string
  application_id: Optional<string>
  from: Generated<Date>
  until: NullableStamp
  order_line_ids: Generated<string[]>
  by: string
}

interface LeadLicencesTable extends AtEvent {
  company_id: string
  product_code: string
  order_line_id: Optional<string>
  granted_by: Optional<string>
  grants: string[]
  seats: number
  status: Generated<'active' | 'revoked'>
  created_at: Kept<Date>
  revoked_at: NullableStamp
}

interface LeadDevicesTable extends AtEvent {
  company_id: string
  name: string
  platform: string
  token_hash: Buffer
  status: Generated<'active' | 'revoked'>
  activated_at: Generated<Date>
  last_seen_at: Generated<Date>
  revoked_at: NullableStamp
  app_version: Optional<string>
  clock_skew_ms: Generated<number>
}

export type CaptureType = 'sdk' | 'device' | 'appointment' | 'manual' | 'import'

interface LeadsTable extends AtEvent, Edited {
  company_id: string
  participant_id: string
  is_test_data: boolean
  source: CaptureType
  captures: Kept<number>
  first_captured_at: Kept<Date | null>
  last_captured_at: Kept<Date | null>
  rating: Optional<number>
  notes: Optional<string>
  tags: Generated<string[]>
  qualifiers: DefaultJson<Record<string, unknown>>
  staff_id: Optional<string>
  status: Generated<'active' | 'deleted'>
}

interface LeadCapturesTable extends AtEvent {
  lead_id: string
  company_id: string
  type: CaptureType
  at: Stamp
  received_at: Kept<Date>
  device_id: Optional<string>
  staff_id: Optional<string>
  nonce: Optional<string>
}

interface OfferingsTable extends AtEvent {
  company_id: Optional<string>
  host_participant_id: Optional<string>
  is_test_data: boolean
  starts_at: Stamp
  ends_at: Stamp
  location: Optional<string>
  capacity: Generated<number>
  booked: Kept<number>
  overage: Generated<number>
  staff_id: Optional<string>
  approval: Generated<'auto' | 'manual'>
  source: 'import' | 'generated'
  removed_at: NullableStamp
  created_at: Kept<Date>
}

export const APPOINTMENT_STATUSES = ['pending', 'booked', 'declined', 'cancelled', 'completed', 'no_show'] as const
export type AppointmentStatus = (typeof APPOINTMENT_STATUSES)[number]

export interface AppointmentsTable extends AtEvent, Edited {
  offering_id: string
  seat: number
  kind: 'exhibitor' | 'participant'
  participant_id: string
  with_participant_id: Optional<string>
  company_id: Optional<string>
  staff_id: Optional<string>
  is_test_data: boolean
  starts_at: Stamp
  ends_at: Stamp
  location: Optional<string>
  status: AppointmentStatus
  message: Optional<string>
  booked_by: string
  cancelled_by: Optional<string>
  cancel_reason: Optional<string>
  cancelled_at: NullableStamp
}

/** What a company would like. */
export interface BoothWish {
  /** Codes of booth sizes, the best first. */
  sizes: readonly string[]
  boothNumbers: readonly string[]
  zoneCodes?: readonly string[]
  zonesOnly?: boolean
  minArea?: number
  maxArea?: number
  type?: string
  near?: readonly string[]
  awayFrom?: readonly string[]
  sameAsLastYear?: boolean
  /** Whether another booth than these will do. */
  acceptOther: boolean
}

const APPLICATION_STATUSES = [
  'draft',
  'submitted',
  'under_review',
  'approved',
  'waitlisted',
  'offered',
  'accepted',
  'rejected',
  'withdrawn',
  'cancelled',
] as const

interface BoothApplicationsTable extends AtEvent, Edited {
  number: Optional<string>
  company_id: string
  participant_id: Optional<string>
  is_test_data: boolean
  status: Generated<(typeof APPLICATION_STATUSES)[number]>
  additional: Generated<boolean>
  wanted: ColumnType<BoothWish, string | undefined, string>
  answers: ColumnType<Record<string, unknown>, string | undefined, string>
  submitted_at: NullableStamp
  points: Optional<string>
  offer_booth_ids: Generated<string[]>
  offer_amount: Optional<number>
  offer_until: NullableStamp
  offer_sent_at: NullableStamp
  decision_note: Optional<string>
}

/** Written by the database alone, of live appointments. */
interface AppointmentPeopleTable {
  tenant_id: Kept<number>
  event_id: Kept<string>
  appointment_id: Kept<string>
  participant_id: Kept<string>
  starts_at: Kept<Date>
  ends_at: Kept<Date>
}

declare module '../../kernel/columns.ts' {
  interface Tables {
    organizations: OrganizationsTable
    companies: CompaniesTable
    company_competitors: CompanyCompetitorsTable
    exhibitor_staff: ExhibitorStaffTable
    floor_plans: FloorPlansTable
    booths: BoothsTable
    booth_assignments: BoothAssignmentsTable
    booth_applications: BoothApplicationsTable
    lead_licences: LeadLicencesTable
    lead_devices: LeadDevicesTable
    leads: LeadsTable
    lead_captures: LeadCapturesTable
    offerings: OfferingsTable
    appointments: AppointmentsTable
    appointment_people: AppointmentPeopleTable
  }
}
