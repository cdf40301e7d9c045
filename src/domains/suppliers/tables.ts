import type { Selectable } from 'kysely'
import type { Tables } from '../../kernel/columns.ts'
import type { RoomSetup } from '../briefs/answers.ts'

export interface SupplierContact {
  name?: string
  email?: string
  phone?: string
  role?: string
}

export interface SupplierAddress {
  street?: string
  postalCode?: string
  city?: string
  region?: string
  country?: string
}

export interface MeetingRoom {
  name: string
  areaSqm?: number
  capacity: Partial<Record<RoomSetup, number>>
}

/** The source of facts about a supplier. */
export interface SupplierFactOrigin {
  kind: 'typed' | 'page' | 'catalog' | 'provider'
  ref?: string
  at: string
}

export type SupplierRow = Selectable<Tables['suppliers']>

declare module '../../kernel/columns.ts' {
  interface ColumnTypes {
    'suppliers.contacts': SupplierContact[]
    'suppliers.address': SupplierAddress
    'suppliers.meeting_rooms': MeetingRoom[]
    'suppliers.sources': SupplierFactOrigin[]
  }
}
