import type { Selectable } from 'kysely'
import type { Tables } from '../../kernel/columns.ts'

/** The part of an RFP that an award gives to one response. */
export interface AwardLine {
  responseId: string
  supplierId: string
  share: { night: string; rooms: number }[]
  /** The cost of the award line with taxes and fees, in minor units. */
  gross: number
}

export type AwardRow = Selectable<Tables['awards']>

declare module '../../kernel/columns.ts' {
  interface ColumnTypes {
    'awards.lines': AwardLine[]
  }
}
