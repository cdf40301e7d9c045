import type { FieldType } from '../dictionary/types.ts'
import type { ConditionTree } from '../query/data-query.ts'

interface MetricTexts {
  /** Code of the metric, such as `money.net`. */
  code: string
  label: string
  /** Formula of the metric in words. */
  formula: string
  /** Other words that people use for the metric, such as "turnover". */
  synonyms?: readonly string[]
  type: Extract<FieldType, 'integer' | 'decimal' | 'money' | 'percent'>
}

/** A metric that is an aggregate over the rows of one entity. */
export interface BaseMetric extends MetricTexts {
  entity: string
  /** Aggregate that computes the metric, such as `count` or `sum(net)`. */
  aggregate: string
  /** Factor by which the aggregate is multiplied, such as -1 for payments, which the ledger stores as negative amounts. */
  factor?: number
  filter?: ConditionTree
  /** The filter for readers with the permission personal.read, if it differs from `filter`. */
  personalFilter?: ConditionTree
  /** If set, the aggregate is computed for each value of this field, and the metric is the largest of the results. */
  peakOf?: string
  /** The date field by which the metric is divided into periods. */
  dateField: string | null
}

/** A metric that is computed from other metrics. */
export interface DerivedMetric extends MetricTexts {
  /** An expression over metric codes, such as `money.paid - money.refunded`. A division by zero gives null. */
  expression: string
}

export type Metric = BaseMetric | DerivedMetric
