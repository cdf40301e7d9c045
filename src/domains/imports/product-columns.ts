import { invalidArguments } from '../../kernel/errors.ts'
import { PRODUCT_CATEGORIES } from '../configuration/schema/catalog.ts'
import type { MappableField } from '../sheets/detect.ts'
import type { ColumnProfile } from '../sheets/profile.ts'
import { PRODUCT_COLUMN_HEADINGS } from '../sheets/synonyms.ts'
import type { ValueType, SheetColumnFormat } from '../sheets/values.ts'
import { mapColumns, type MappedColumn, type ColumnOverride, checkColumnOverrides } from './mapping.ts'

export const PRODUCT_IMPORT_FIELDS = [
  'code',
  'name',
  'category',
  'description',
  'price',
  'priceFrom',
  'priceUntil',
  'priceTags',
  'earlyPrice',
  'earlyUntil',
  'capacity',
  'perPerson',
  'taxCode',
  'addsTags',
  'requires',
  'excludes',
  'waitlist',
  'refundUntil',
  'supply',
] as const
export type ProductImportField = (typeof PRODUCT_IMPORT_FIELDS)[number]

export const PRODUCT_TAX_SUPPLY_KINDS = ['inPerson', 'virtual', 'goods', 'service'] as const

const VALUE_TYPES: Partial<Record<ProductImportField, ValueType>> = {
  category: 'choice',
  price: 'amount',
  priceFrom: 'date',
  priceUntil: 'date',
  earlyPrice: 'amount',
  earlyUntil: 'date',
  capacity: 'integer',
  perPerson: 'integer',
  waitlist: 'boolean',
  refundUntil: 'date',
  supply: 'choice',
}
const CHOICES: Partial<Record<ProductImportField, readonly string[]>> = { category: PRODUCT_CATEGORIES, supply: PRODUCT_TAX_SUPPLY_KINDS }

const FIELDS: readonly MappableField[] = PRODUCT_IMPORT_FIELDS.map((name) => ({
  name,
  called: [name, ...PRODUCT_COLUMN_HEADINGS[name]!.split(',')],
  type: VALUE_TYPES[name] ?? 'text',
  choices: CHOICES[name] ?? [],
}))

export interface ProductColumns {
  mapped: MappedColumn[]
  /** Columns that match no product field and that the caller did not map to `ignore`. */
  unknown: string[]
  /** Position in the file and number format of the column of each mapped product field. */
  at: ReadonlyMap<ProductImportField, { index: number; name: string; written: SheetColumnFormat }>
}

interface ColumnAnswers {
  mapping: readonly ColumnOverride[]
  decimalSeparator?: '.' | ',' | undefined
}

/** Maps the columns of a price list. Throws if the code column is missing or a number or date format is ambiguous. */
export function mapProductColumns(profiles: readonly ColumnProfile[], { mapping, decimalSeparator }: ColumnAnswers): ProductColumns {
  const isField = (field: string) => field === 'ignore' || PRODUCT_IMPORT_FIELDS.some((one) => one === field)
  checkColumnOverrides(
    mapping,
    profiles.map(({ name }) => name),
    isField,
    [...PRODUCT_IMPORT_FIELDS, 'ignore'],
  )
  const mapped = findEndOfEarlyPrice(mapColumns(profiles, FIELDS, mapping))
  const at = new Map(
    mapped.flatMap(({ field, column }, index) =>
      field === null || field === 'ignore'
        ? []
        : [
            [
              field as ProductImportField,
              { index, name: column, written: getColumnFormat(profiles[index]!, field as ProductImportField, decimalSeparator) },
            ] as const,
          ],
    ),
  )
  if (!at.has('code')) {
    throw invalidArguments([{ path: 'mapping', message: 'no column contains the product code; map it with {"column":…,"field":"code"}' }])
  }
  return {
    mapped: mapped.map((one) => ({ ...one, field: one.field === 'ignore' ? null : one.field })),
    unknown: mapped.flatMap(({ column, field }) => (field === null && column !== '' ? [column] : [])),
    at,
  }
}

/**
 * Recognizes the last day of the early-bird price: a column "valid until" directly after that price, if no other column contains this day.
 */
function findEndOfEarlyPrice(mapped: MappedColumn[]): MappedColumn[] {
  const early = mapped.findIndex(({ field }) => field === 'earlyPrice')
  const next = mapped[early + 1]
  if (early < 0 || next?.field !== 'priceUntil' || next.confidence === 'told' || mapped.some(({ field }) => field === 'earlyUntil'))
    return mapped
  return mapped.with(early + 1, { ...next, field: 'earlyUntil', confidence: 'check' })
}

function getColumnFormat(
  { name, decimal, dates, values }: ColumnProfile,
  field: ProductImportField,
  separator?: '.' | ',',
): SheetColumnFormat {
  const column = JSON.stringify(name.slice(0, 60))
  if (VALUE_TYPES[field] === 'amount' && separator === undefined && decimal === 'either') {
    throw invalidArguments([
      {
        path: 'decimalSeparator',
        message: `the amounts of column ${column} are ambiguous, such as 1,234 — pass decimalSeparator`,
      },
    ])
  }
  if (VALUE_TYPES[field] === 'date' && dates === 'either' && values.length > 0) {
    throw invalidArguments([
      { path: 'mapping', message: `the dates of column ${column} can be read as day/month or month/day — write them as YYYY-MM-DD` },
    ])
  }
  return { decimal: separator ?? (decimal === ',' ? ',' : '.'), dates: dates === 'MDY' ? 'MDY' : 'DMY' }
}
