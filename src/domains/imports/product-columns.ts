import { invalidArguments } from '../../kernel/errors.ts'
import { PRODUCT_CATEGORIES } from '../configuration/schema/catalog.ts'
import type { TargetField } from '../sheets/detect.ts'
import type { ColumnProfile } from '../sheets/profile.ts'
import { PRODUCT_SYNONYMS } from '../sheets/synonyms.ts'
import type { ValueType, Written } from '../sheets/values.ts'
import { mapColumns, type MappedColumn, type Override, refuseOverrides } from './mapping.ts'

export const PRODUCT_FIELDS = [
  'code',
  'name',
  'category',
  'description',
  'price',
  'priceFrom',
  'priceUntil',
  'priceTags',
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
export type ProductField = (typeof PRODUCT_FIELDS)[number]

export const SUPPLIES = ['inPerson', 'virtual', 'goods', 'service'] as const

const TYPES: Partial<Record<ProductField, ValueType>> = {
  category: 'choice',
  price: 'amount',
  priceFrom: 'date',
  priceUntil: 'date',
  capacity: 'integer',
  perPerson: 'integer',
  waitlist: 'boolean',
  refundUntil: 'date',
  supply: 'choice',
}
const CHOICES: Partial<Record<ProductField, readonly string[]>> = { category: PRODUCT_CATEGORIES, supply: SUPPLIES }

const FIELDS: readonly TargetField[] = PRODUCT_FIELDS.map((name) => ({
  name,
  called: [name, ...PRODUCT_SYNONYMS[name]!.split(',')],
  type: TYPES[name] ?? 'text',
  choices: CHOICES[name] ?? [],
}))

export interface ProductColumns {
  mapped: MappedColumn[]
  /** Where in a row a field stands. */
  at: ReadonlyMap<ProductField, { index: number; name: string; written: Written }>
}

interface Told {
  mapping: readonly Override[]
  decimalSeparator?: '.' | ',' | undefined
}

/** Which column of a price list is which, and how its numbers and days are written; what cannot be known is asked for. */
export function productColumns(profiles: readonly ColumnProfile[], { mapping, decimalSeparator }: Told): ProductColumns {
  const isField = (field: string) => field === 'ignore' || PRODUCT_FIELDS.some((one) => one === field)
  refuseOverrides(
    mapping,
    profiles.map(({ name }) => name),
    isField,
    [...PRODUCT_FIELDS, 'ignore'],
  )
  const mapped = mapColumns(profiles, FIELDS, mapping)
  const at = new Map(
    mapped.flatMap(({ field, column }, index) =>
      field === null || field === 'ignore'
        ? []
        : [
            [
              field as ProductField,
              { index, name: column, written: writtenIn(profiles[index]!, field as ProductField, decimalSeparator) },
            ] as const,
          ],
    ),
  )
  if (!at.has('code')) {
    throw invalidArguments([{ path: 'mapping', message: 'no column holds the code of the products; name it: {"column":…,"field":"code"}' }])
  }
  return { mapped: mapped.map((one) => ({ ...one, field: one.field === 'ignore' ? null : one.field })), at }
}

function writtenIn({ name, decimal, dates, values }: ColumnProfile, field: ProductField, told?: '.' | ','): Written {
  const column = JSON.stringify(name.slice(0, 60))
  if (field === 'price' && told === undefined && decimal === 'either') {
    throw invalidArguments([
      {
        path: 'decimalSeparator',
        message: `the amounts of column ${column} can be read in two ways, as 1,234 can — pass decimalSeparator`,
      },
    ])
  }
  if (TYPES[field] === 'date' && dates === 'either' && values.length > 0) {
    throw invalidArguments([
      { path: 'mapping', message: `the days of column ${column} can be read as day/month or month/day — write them as YYYY-MM-DD` },
    ])
  }
  return { decimal: told ?? (decimal === ',' ? ',' : '.'), dates: dates === 'MDY' ? 'MDY' : 'DMY' }
}
