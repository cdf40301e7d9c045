import type { Selectable } from 'kysely'
import type { Tables } from '../../kernel/columns.ts'

export interface HotelAddress {
  street?: string
  postalCode?: string
  city?: string
  region?: string
  country?: string
}

export interface RoomGuestEntry {
  participantId: string
  name: string
}

export type HotelRow = Selectable<Tables['event_hotels']>
export type RoomTypeRow = Selectable<Tables['room_types']>
export type HousingContractRow = Selectable<Tables['housing_contracts']>
export type RoomNightRow = Selectable<Tables['room_nights']>
export type BlockRow = Selectable<Tables['room_blocks']>
export type AddendumRow = Selectable<Tables['housing_addenda']>
export type ReservationRow = Selectable<Tables['reservations']>

/** Changes of an addendum: the new values of terms and other fields, and rooms and rates per night. */
export interface AddendumChanges {
  terms?: Record<string, unknown>
  nights?: readonly { roomTypeCode: string; night: string; before: number; after: number; rates?: object }[]
  finalPickup?: readonly { night: string; pickup: number; resold: number; auditCredit: number }[]
}

declare module '../../kernel/columns.ts' {
  interface ColumnTypes {
    'event_hotels.address': HotelAddress
    'event_hotels.contacts': { name: string; email: string }[]
    'housing_contracts.review_dates': { on: string; maxReducePercent: number }[]
    'housing_contracts.attrition': {
      method: 'none' | 'cumulative' | 'nightly'
      commitPercent?: number
      profitPercent?: number
      creditResold?: boolean
    }
    'housing_addenda.changes': AddendumChanges
    'reservations.guests': RoomGuestEntry[]
    'hotel_waitlist_entries.alternatives': { hotelId: string; roomTypeCode?: string }[]
  }
}
