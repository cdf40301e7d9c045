import { z } from 'zod'
import { list, object, oneOf } from '../../../kernel/args.ts'
import { FIELD_ACCESS_CLASSES, FIELD_TYPES } from '../dictionary/types.ts'

export const DescribedEntityShape = object({
  name: z.string(),
  label: z.string(),
  rowIs: z.string(),
  area: z.string(),
  rows: z.number().nullable(),
  allowed: z.boolean(),
})

export const DescribedFieldShape = object({
  path: z.string(),
  label: z.string(),
  type: oneOf(FIELD_TYPES),
  class: oneOf(FIELD_ACCESS_CLASSES),
  category: z.boolean(),
  choices: list(z.string()).optional(),
  nullable: z.boolean(),
  filterable: z.boolean(),
  groupable: z.boolean(),
  sortable: z.boolean(),
  allowed: z.boolean(),
  needs: z.string().optional(),
  binding: z.string().optional(),
  help: z.string().optional(),
  retired: z.literal(true).optional(),
})

export const DescribedMetricShape = object({
  code: z.string(),
  label: z.string(),
  formula: z.string(),
  type: oneOf(['integer', 'decimal', 'money', 'percent']),
  dateField: z.string().nullable(),
  dimensions: list(z.string()),
})
