import type { ColumnType, Generated, JSONColumnType } from 'kysely'
import type { Kept } from '../../kernel/columns.ts'
import type { BoothWish } from '../exhibitors/tables.ts'

export const METHODS = ['card', 'bank', 'cheque', 'onsite'] as const
export type Method = (typeof METHODS)[number]

/** What somebody agreed to: how, in which words of theirs, and the hash of the text that they saw. */
export interface Agreed {
  at: string
  mode: 'checkbox' | 'initials' | 'signature'
  written: string | null
  sha256: string
}

/** What somebody asks for before they have finished: sizes and booths, the best first. */
export type BoothRequest = Pick<BoothWish, 'sizes' | 'boothNumbers' | 'acceptOther'>

interface RegistrationProgressTable {
  tenant_id: number
  event_id: string
  participant_id: string
  is_test_data: boolean
  pages_done: Generated<string[]>
  policies: JSONColumnType<Record<string, Agreed>, string | undefined, string>
  method: Method | null
  /** In minor units; null is all. */
  pay_now: ColumnType<number | null, number | null | undefined, number | null>
  booth_request: ColumnType<BoothRequest | null, string | null | undefined, string | null>
  waits: Generated<string[]>
  more_time: Generated<boolean>
  visit_id: string | null
  created_at: Kept<Date>
}

declare module '../../kernel/columns.ts' {
  interface Tables {
    registration_progress: RegistrationProgressTable
  }
}
