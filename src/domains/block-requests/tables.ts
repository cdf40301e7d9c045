import type { Selectable } from 'kysely'
import type { Tables } from '../../kernel/columns.ts'
import type { GrantedRooms, RoomsPerNight } from './plan-allocation.ts'

export interface AmendedNight {
  night: string
  delta: number
  hotelId?: string
  roomTypeCode?: string
}

/** The state of a block request before it was closed, and the rooms that were released when it was closed. */
export interface ClosedRequestSnapshot {
  status: 'submitted' | 'partiallyAllocated' | 'allocated' | 'accepted' | 'declined'
  sellStatus: 'open' | 'changes' | 'changesSameType' | 'closed' | null
  released: GrantedRooms[]
  /** The destination of the released rooms: the hotel's general inventory, the hotel itself, or `keep` if they stay in the block. */
  to?: 'freeSell' | 'hotel' | 'keep'
  /** The last day on which the requester could accept the rooms; null if there was none. */
  acceptBy?: string | null
}

export type BlockRequestRow = Selectable<Tables['block_requests']>
export type AmendmentRow = Selectable<Tables['block_request_amendments']>

declare module '../../kernel/columns.ts' {
  interface ColumnTypes {
    'block_requests.profile': RoomsPerNight[]
    'block_requests.accepted': RoomsPerNight[]
    'block_requests.closing': ClosedRequestSnapshot
    'block_request_amendments.changes': AmendedNight[]
  }
}
