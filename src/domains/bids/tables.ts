import type { Selectable } from 'kysely'
import type { Tables } from '../../kernel/columns.ts'
import type { RubricCriterion } from '../rfps/tables.ts'

export const CONCESSION_KINDS = ['compRooms', 'rebate', 'wifi', 'credit', 'other'] as const

/**
 * A concession of the supplier: a free room for every `per` room nights, a rebate of `value` per room night, or another benefit worth
 * `value`.
 */
export interface Concession {
  kind: (typeof CONCESSION_KINDS)[number]
  per?: number
  value?: number
  text?: string
}

export interface OfferedRooms {
  night: string
  roomType: string
  rooms: number
  rates: { single: number; double?: number; triple?: number; quad?: number }
}

/** An offer as a supplier submits it. Amounts are minor units of its currency; percentages are numbers such as 12.5. */
export interface RfpResponseContent {
  currency: string
  rooms: OfferedRooms[]
  taxPercent: number
  /** A fee per room and night that is not taxed. */
  feePerNight: number
  rental: number
  otherFees: { name: string; amount: number; mandatory: boolean }[]
  fbMinimum: number
  /** Menu prices per person; `meal` is one of the kinds of meals that the brief asks for. */
  menu: { meal: string; price: number }[]
  servicePercent: number
  fbTaxPercent: number
  avEstimate: number
  concessions: Concession[]
  commissionPercent?: number
  attrition?: { method: 'none' | 'cumulative' | 'nightly'; commitPercent?: number; profitPercent?: number; creditResold?: boolean }
  cutoffDays?: number
  cancellation: { daysBefore: number; percent: number }[]
  /** Deposits: due on signing or some days before arrival, as a percentage of the committed amount or as an amount. */
  deposits: { onSigning?: boolean; daysBefore?: number; percent?: number; amount?: number }[]
  answers: Record<string, string | number | boolean>
  /** The room that the supplier offers for each event function of the brief, such as a plenary session or a dinner. */
  space: { function: string; room: string; areaSqm?: number }[]
  validUntil?: string
  note?: string
  files: string[]
}

export type RfpResponseRow = Selectable<Tables['rfp_responses']>

declare module '../../kernel/columns.ts' {
  interface ColumnTypes {
    'rfp_responses.content': RfpResponseContent
    'scoring_rubrics.criteria': RubricCriterion[]
  }
}
