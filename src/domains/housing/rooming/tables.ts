/** One room of a rooming list, as the hotel sees it. */
export interface RoomingListRow {
  reservationId: string
  ackNumber: string
  guest: string
  /** Names of the people who share the room. */
  sharers: string[]
  checkIn: string
  checkOut: string
  roomType: string
  bedType: string | null
  smoking: boolean | null
  occupants: number
  requests: string | null
  loyaltyNumber: string | null
  /** The hotel's confirmation number when this version of the list was made. A new number alone does not count as a change. */
  confirmationNumber: string | null
  guarantee: 'none' | 'pending' | 'card' | 'cardAtCheckIn' | 'deposit' | 'master'
}

export interface ReportedPickupNight {
  night: string
  occupied: number
  resold: number
}

declare module '../../../kernel/columns.ts' {
  interface ColumnTypes {
    'rooming_lists.rows': RoomingListRow[]
    'hotel_pickup_reports.nights': ReportedPickupNight[]
  }
}
