import type { ReportColumn, ReportRow } from '../report-table.ts'

/** A tree of conditions on rows, which filter.ts compiles to SQL. */
export type ConditionTree = { all: readonly ConditionTree[] } | { any: readonly ConditionTree[] } | FieldCondition | RelationCondition
export interface FieldCondition {
  field: string
  op: string
  value?: unknown
}
export interface RelationCondition {
  relation: string
  has: 'any' | 'none'
  where?: ConditionTree
}

/** A query as callers write it in the arguments of a tool. */
export interface DataQuery {
  entity?: string | undefined
  fields?: readonly string[] | undefined
  groupBy?: readonly string[] | undefined
  aggregates?: readonly string[] | undefined
  aggregateFilters?: Readonly<Record<string, ConditionTree>> | undefined
  metrics?: readonly string[] | undefined
  calculate?: readonly string[] | undefined
  filter?: ConditionTree | undefined
  having?: ConditionTree | undefined
  orderBy?: readonly string[] | undefined
  fill?: 'zero' | undefined
  /**
   * If filling empty periods would result in more groups than this, none are added. Only charts set it, because they show missing periods
   * as 0.
   */
  fillAtMost?: number | undefined
  limit?: number | undefined
  cursor?: string | undefined
  includeTestData?: boolean | undefined
  total?: boolean | undefined
}

export interface QueryResult {
  columns: ReportColumn[]
  rows: ReportRow[]
  total?: number
  nextCursor: string | null
  asOf: string
  overlapping?: true
  suppressed?: { rows: number; participants: number }
  withTestData?: true
  /** The exchange rates that were used, if amounts were converted. */
  rates?: { currency: string; day: string; rate: string; source: string }[]
}
