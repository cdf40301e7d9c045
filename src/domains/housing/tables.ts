import type { ColumnType, Generated, Selectable } from 'kysely'
import type { Json, Kept, NullableStamp } from '../../kernel/columns.ts'

type Optional<T> = ColumnType<T | null, T | null | undefined, T | null>

export const SELL_STATUSES = ['open', 'changes', 'changesSameType', 'closed'] as const
export type SellStatus = (typeof SELL_STATUSES)[number]
export const RESERVATION_STATUSES = ['held', 'confirmed', 'cancelled', 'expired', 'noShow'] as const

interface AtEvent {
  tenant_id: number
  event_id: string
}

export interface HotelAddress {
  street?: string
  postalCode?: string
  city?: string
  region?: string
  country?: string
}

interface EventHotelsTable extends AtEvent {
  id: string
  code: string
  name: string
  retired: Generated<boolean>
  catalog_ref: Optional<string>
  supplier_id: Optional<string>
  address: ColumnType<HotelAddress, string | undefined, string>
  latitude: Optional<number>
  longitude: Optional<number>
  stars: Optional<number>
  brand: Optional<string>
  loyalty_program: Optional<string>
  amenities: Generated<string[]>
  description: Optional<string>
  photos: Generated<string[]>
  contacts: ColumnType<{ name: string; email: string }[], string | undefined, string>
  check_in_time: Optional<string>
  check_out_time: Optional<string>
  /** A decimal text, as percents are. */
  tax_percent: Generated<string>
  fee_per_night: Generated<number>
  fee_taxed: Generated<boolean>
  sell_status: Generated<SellStatus>
  after_cutoff: Generated<'closed' | 'waitlist'>
  searched: Kept<string>
  revision: Kept<number>
  created_at: Kept<Date>
  updated_at: Kept<Date>
}

interface RoomTypesTable extends AtEvent {
  hotel_id: string
  code: string
  name: string
  beds: Generated<string[]>
  max_occupancy: number
  accessible: Generated<boolean>
  smoking: Generated<boolean>
  retired: Generated<boolean>
}

interface HousingContractsTable extends AtEvent {
  hotel_id: string
  status: Generated<'tentative' | 'definite' | 'cancelled'>
  sourcing_contract_id: Optional<string>
  signed_on: Optional<string>
  cutoff_on: Optional<string>
  cutoff_action: Generated<'return' | 'keep'>
  rooming_list_due_on: Optional<string>
  name_deadline_on: Optional<string>
  review_dates: ColumnType<{ on: string; maxReducePercent: number }[], string | undefined, string>
  attrition: ColumnType<
    { method: 'none' | 'cumulative' | 'nightly'; commitPercent?: number; profitPercent?: number; creditResold?: boolean },
    string | undefined,
    string
  >
  comp_per: Optional<number>
  comp_basis: Generated<'cumulative' | 'nightly'>
  rebate_per_room_night: Optional<number>
  commission_percent: Optional<string>
  revision: Kept<number>
  created_at: Kept<Date>
  updated_at: Kept<Date>
}

interface RoomNightsTable extends AtEvent {
  hotel_id: string
  room_type_code: string
  night: string
  original: number
  base: number
  contracted: number
  returned: Generated<number>
  allocated: Generated<number>
  booked: Generated<number>
  held: Generated<number>
  rate_single: number
  rate_double: Optional<number>
  rate_triple: Optional<number>
  rate_quad: Optional<number>
}

interface RoomBlocksTable extends AtEvent {
  id: string
  code: string
  name: string
  owner_kind: Generated<'group' | 'company' | 'tag' | 'none'>
  owner_ref: Optional<string>
  request_id: Optional<string>
  status: Generated<'active' | 'closed'>
  sell_status: Generated<SellStatus>
  overflow: Generated<boolean>
  min_nights: Optional<number>
  release_on: Optional<string>
  name_deadline_on: Optional<string>
  payment_by: Generated<'guest' | 'master'>
  note: Optional<string>
  revision: Kept<number>
  created_at: Kept<Date>
  updated_at: Kept<Date>
}

interface BlockNightsTable extends AtEvent {
  block_id: string
  hotel_id: string
  room_type_code: string
  night: string
  rooms: number
  booked: Generated<number>
  held: Generated<number>
  rate: Optional<number>
}

export interface GuestOfRoom {
  participantId: string
  name: string
}

interface ReservationsTable extends AtEvent {
  id: string
  ack_number: Optional<string>
  participant_id: string
  is_test_data: boolean
  guests: Json<GuestOfRoom[]>
  hotel_id: string
  room_type_code: string
  check_in: string
  check_out: string
  occupants: number
  bed_type: Optional<string>
  smoking: Optional<boolean>
  requests: Optional<string>
  loyalty_number: Optional<string>
  share_with: Optional<string>
  status: (typeof RESERVATION_STATUSES)[number]
  held_until: NullableStamp
  charging: Generated<boolean>
  entry_id: Optional<string>
  guarantee_kind: Generated<'none' | 'card' | 'deposit' | 'master'>
  guarantee_status: Generated<'notNeeded' | 'pending' | 'secured' | 'failed'>
  guarantee_due_at: NullableStamp
  guarantee_reminded_at: NullableStamp
  saved_card_id: Optional<string>
  charge_id: Optional<string>
  hotel_confirmation_number: Optional<string>
  stay_rooms: number
  stay_fees: number
  stay_tax: number
  stay_total: number
  source: 'web' | 'assistant' | 'organizer' | 'import' | 'group' | 'rehearsal'
  cancel_reason: Optional<string>
  confirmed_at: NullableStamp
  cancelled_at: NullableStamp
  revision: Kept<number>
  created_at: Kept<Date>
  updated_at: Kept<Date>
}

interface ReservationNightsTable extends AtEvent {
  reservation_id: string
  night: string
  participant_id: string
  is_test_data: boolean
  hotel_id: string
  room_type_code: string
  block_id: string | null
  rate: number
  status: 'held' | 'confirmed' | 'noShow'
  room: number
}

interface HotelWaitlistEntriesTable extends AtEvent {
  id: string
  participant_id: string
  is_test_data: boolean
  hotel_id: string | null
  room_type_code: Optional<string>
  alternatives: ColumnType<{ hotelId: string; roomTypeCode?: string }[], string | undefined, string>
  check_in: string
  check_out: string
  occupants: Generated<number>
  replaces_reservation_id: Optional<string>
  priority: Generated<number>
  position: number
  status: Generated<'waiting' | 'offered' | 'filled' | 'removed'>
  offered_until: NullableStamp
  consent_charge_at: NullableStamp
  saved_card_id: Optional<string>
  charge_id: Optional<string>
  reason: Optional<string>
  joined_at: Kept<Date>
  ended_at: NullableStamp
}

interface RoomSharesTable extends AtEvent {
  id: string
  participant_id: string
  is_test_data: boolean
  named: string
  reservation_id: Optional<string>
  status: Generated<'pending' | 'accepted' | 'declined' | 'withdrawn'>
  created_at: Kept<Date>
  decided_at: NullableStamp
}

export type HotelRow = Selectable<EventHotelsTable>
export type RoomTypeRow = Selectable<RoomTypesTable>
export type ContractRow = Selectable<HousingContractsTable>
export type RoomNightRow = Selectable<RoomNightsTable>
export type BlockRow = Selectable<RoomBlocksTable>
export type ReservationRow = Selectable<ReservationsTable>

declare module '../../kernel/columns.ts' {
  interface Tables {
    event_hotels: EventHotelsTable
    room_types: RoomTypesTable
    housing_contracts: HousingContractsTable
    room_nights: RoomNightsTable
    room_blocks: RoomBlocksTable
    block_nights: BlockNightsTable
    reservations: ReservationsTable
    reservation_nights: ReservationNightsTable
    hotel_waitlist_entries: HotelWaitlistEntriesTable
    room_shares: RoomSharesTable
  }
}
