import { type FieldError, invalidArguments } from '../../kernel/errors.ts'
import { findMostSimilarName } from '../../kernel/nearest.ts'
import { type DetectedColumn, detectColumns, type MappableField } from '../sheets/detect.ts'
import type { ColumnProfile } from '../sheets/profile.ts'

/** The import field that the caller has chosen for a column. */
export interface ColumnOverride {
  column: string
  field: string
}

export interface MappedColumn extends Omit<DetectedColumn, 'confidence'> {
  /** How certain the mapping of the column is. `told` means that the caller has chosen the field. */
  confidence: 'sure' | 'check' | 'told' | null
}

const same = (a: string, b: string) => a.trim().toLowerCase() === b.trim().toLowerCase()

/** Chooses the import field of each column: the field that the caller has given, otherwise one detected among the remaining fields. */
export function mapColumns(
  columns: readonly ColumnProfile[],
  fields: readonly MappableField[],
  overrides: readonly ColumnOverride[],
): MappedColumn[] {
  const overrideOf = new Map(
    columns.flatMap(({ name }) => {
      const one = overrides.findLast(({ column }) => same(column, name))
      return one ? [[name, one.field] as const] : []
    }),
  )
  const taken = new Set(overrideOf.values())
  const open = columns.filter(({ name }) => !overrideOf.has(name))
  const found = new Map(
    detectColumns(
      open,
      fields.filter(({ name }) => !taken.has(name)),
    ).map((one) => [one.column, one]),
  )
  return columns.map(({ name }) => {
    const field = overrideOf.get(name)
    return field === undefined ? found.get(name)! : { column: name, field, score: 1, confidence: 'told' }
  })
}

/** Rejects column mappings of the caller with unknown columns, unknown fields, or one field for two columns. */
export function checkColumnOverrides(
  overrides: readonly ColumnOverride[],
  columns: readonly string[],
  isField: (field: string) => boolean,
  fields: readonly string[],
): void {
  const issues = overrides.flatMap(({ column, field }, index): FieldError[] => {
    const near = (word: string, known: readonly string[]) => {
      const one = findMostSimilarName(word, known)
      return one === null ? '' : `; did you mean ${JSON.stringify(one)}?`
    }
    return [
      ...(columns.some((one) => same(one, column))
        ? []
        : [
            {
              path: `mapping/${index}/column`,
              message: `no column ${JSON.stringify(column.slice(0, 60))}${near(column, columns)}`,
              allowed: columns.slice(0, 50),
            },
          ]),
      ...(isField(field)
        ? []
        : [
            {
              path: `mapping/${index}/field`,
              message: `no field ${JSON.stringify(field.slice(0, 60))}${near(field, fields)}`,
              allowed: fields.slice(0, 60),
            },
          ]),
      ...(field !== 'ignore' && overrides.slice(0, index).some((other) => other.field === field && !same(other.column, column))
        ? [{ path: `mapping/${index}/field`, message: `${field} is assigned to two columns` }]
        : []),
    ]
  })
  if (issues.length > 0) throw invalidArguments(issues)
}
