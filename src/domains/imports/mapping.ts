import { type FieldError, invalidArguments } from '../../kernel/errors.ts'
import { nearest } from '../../kernel/nearest.ts'
import { type DetectedColumn, detectColumns, type TargetField } from '../sheets/detect.ts'
import type { ColumnProfile } from '../sheets/profile.ts'

/** What somebody said that a column is. */
export interface Override {
  column: string
  field: string
}

export interface MappedColumn extends Omit<DetectedColumn, 'confidence'> {
  /** `told`: somebody said so. */
  confidence: 'sure' | 'check' | 'told' | null
}

const same = (a: string, b: string) => a.trim().toLowerCase() === b.trim().toLowerCase()

/** Each column with its field: as it was told, and the others as they are detected among the fields that are left. */
export function mapColumns(columns: readonly ColumnProfile[], fields: readonly TargetField[], told: readonly Override[]): MappedColumn[] {
  const toldOf = new Map(
    columns.flatMap(({ name }) => {
      const one = told.findLast(({ column }) => same(column, name))
      return one ? [[name, one.field] as const] : []
    }),
  )
  const taken = new Set(toldOf.values())
  const open = columns.filter(({ name }) => !toldOf.has(name))
  const found = new Map(
    detectColumns(
      open,
      fields.filter(({ name }) => !taken.has(name)),
    ).map((one) => [one.column, one]),
  )
  return columns.map(({ name }) => {
    const field = toldOf.get(name)
    return field === undefined ? found.get(name)! : { column: name, field, score: 1, confidence: 'told' }
  })
}

/** What is wrong with overrides: columns that are not there, fields that are none, and one field for two columns. */
export function refuseOverrides(
  told: readonly Override[],
  columns: readonly string[],
  isField: (field: string) => boolean,
  fields: readonly string[],
): void {
  const faults = told.flatMap(({ column, field }, index): FieldError[] => {
    const near = (word: string, known: readonly string[]) => {
      const one = nearest(word, known)
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
      ...(field !== 'ignore' && told.slice(0, index).some((other) => other.field === field && !same(other.column, column))
        ? [{ path: `mapping/${index}/field`, message: `${field} is given to two columns` }]
        : []),
    ]
  })
  if (faults.length > 0) throw invalidArguments(faults)
}
