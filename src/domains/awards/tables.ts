import type { Selectable } from 'kysely'
import type { Tables } from '../../kernel/columns.ts'

/** The part of the need that one response gets. */
export interface AwardLine {
  responseId: string
  supplierId: string
  share: { night: string; rooms: number }[]
  /** What the line costs with taxes and fees, in minor units. */
  gross: number
}

export type AwardRow = Selectable<Tables['awards']>

declare module '../../kernel/columns.ts' {
  interface ColumnTypes {
    'awards.lines': AwardLine[]
  }
}
