import { z } from 'zod'
import { toOneLine, count, flag, keepNullInResult, list, object, oneOf, text } from '../../../kernel/args.ts'
import { FIELD_ACCESS_CLASSES, FIELD_TYPES } from '../dictionary/types.ts'
import type { DataQuery, ConditionTree } from './data-query.ts'

const MAX_ROWS = 1000

/** Schema that accepts any object as a condition tree. The query compiler checks the tree, with errors that name the wrong part. */
export const conditionTreeSchema = () => z.looseObject({}) as unknown as z.ZodType<ConditionTree>

/** The arguments that make up a query. describe_data explains them under the topic `query`. */
export const queryArguments = {
  entity: toOneLine(text(40).optional(), 'What one row is, such as participant or orderLine.'),
  fields: toOneLine(list(text(120), 40).optional(), 'Paths of columns; lists rows.'),
  groupBy: toOneLine(list(text(160), 4).optional(), 'path or path:bucket, such as completedAt:month.'),
  aggregates: toOneLine(list(text(160), 12).optional(), 'count, sum(total), percentile(total, 0.9) as p90.'),
  aggregateFilters: z.record(z.string().max(40), conditionTreeSchema()).optional(),
  metrics: toOneLine(list(text(60), 8).optional(), 'Codes such as money.net; need no entity.'),
  calculate: toOneLine(list(text(400), 6).optional(), 'name = expression over aggregates and metrics.'),
  filter: toOneLine(conditionTreeSchema().optional(), '{all|any: [{field, op, value}]}'),
  having: conditionTreeSchema().optional(),
  orderBy: toOneLine(list(text(160), 4).optional(), 'name, or -name for descending.'),
  fill: oneOf(['zero']).optional(),
  includeTestData: flag().optional(),
}

export const queryPageArguments = {
  limit: count(1, MAX_ROWS).optional(),
  cursor: text(4000).optional(),
  total: flag().optional(),
}

/** Extracts the query from the arguments of a tool call, which also contain arguments of the tool itself. */
export const extractDataQuery = (input: Partial<DataQuery>): DataQuery =>
  Object.fromEntries(
    [...Object.keys(queryArguments), ...Object.keys(queryPageArguments)].flatMap((key) => {
      const value = input[key as keyof DataQuery]
      return value === undefined ? [] : [[key, value]]
    }),
  )

export const ColumnShape = object({
  name: z.string(),
  label: z.string(),
  type: oneOf(FIELD_TYPES),
  class: oneOf(FIELD_ACCESS_CLASSES),
})

/** Schema of a result row: values by column name. */
export const QueryRowShape = z.record(z.string(), z.unknown())

export const queryResultFields = {
  rows: list(QueryRowShape, MAX_ROWS),
  columns: list(ColumnShape),
  total: count().optional(),
  nextCursor: keepNullInResult(z.string().nullable()),
  asOf: z.string(),
  overlapping: z.literal(true).optional(),
  suppressed: object({ rows: count(), participants: count() }).optional(),
  withTestData: z.literal(true).optional(),
  note: z.string().optional(),
}
