import type { z } from 'zod'
import { fieldsToClear, describe, ifRevision } from './args.ts'
import { type RecordFieldDefinitions, type RecordDefinition, type RecordTable, type RecordRow, toRecordFieldValues } from './records.ts'

/** Arguments and results of tools, derived from the declaration of a record. */

type Typed = { type: z.ZodType; meaning?: string; empty?: unknown; readOnly?: true }
type TypedRecord = { fields: Record<string, unknown> }
type TypeOf<F> = F extends { type: infer Z extends z.ZodType } ? Z : never
type Editable<F> = { [N in keyof F]: F[N] extends { readOnly: true } ? never : F[N] extends { type: z.ZodType } ? N : never }[keyof F] &
  string
type Clearable<F> = { [N in keyof F]: F[N] extends { empty: unknown } ? N : never }[keyof F] & string

type NewArgument<F> = F extends { empty: readonly unknown[] }
  ? z.ZodDefault<TypeOf<F>>
  : F extends { empty: unknown }
    ? z.ZodOptional<TypeOf<F>>
    : TypeOf<F>
type ResultType<F> = F extends { empty: null } ? z.ZodNullable<TypeOf<F>> : TypeOf<F>

const described = ({ type, meaning }: Typed) => (meaning === undefined ? type : describe(type, meaning))
const typed = (record: TypedRecord, name: string) => record.fields[name] as Typed

/** The names of all fields of a record except the given ones, in the order of the declaration. */
export const listFieldsExcept = <R extends TypedRecord, const O extends keyof R['fields'] & string>(record: R, omitted: readonly O[]) =>
  Object.keys(record.fields).filter((name) => !(omitted as readonly string[]).includes(name)) as Exclude<keyof R['fields'] & string, O>[]

/** Arguments of a tool that creates a record. A field that can be cleared may be omitted. */
export function buildCreateArguments<R extends TypedRecord, const N extends Editable<R['fields']>>(record: R, names: readonly N[]) {
  const shape = names.map((name) => {
    const field = typed(record, name)
    const type = described(field)
    return [name, Array.isArray(field.empty) ? type.default(field.empty) : 'empty' in field ? type.optional() : type]
  })
  return Object.fromEntries(shape) as { [K in N]: NewArgument<R['fields'][K]> }
}

/** Arguments of a tool that edits a record: every editable field, `clear` and `ifRevision`. */
export function buildEditArguments<R extends TypedRecord>(record: R) {
  const names = Object.keys(record.fields).filter((name) => typed(record, name).type && !typed(record, name).readOnly)
  const clearable = names.filter((name) => 'empty' in typed(record, name))
  return {
    ...(Object.fromEntries(names.map((name) => [name, described(typed(record, name)).optional()])) as {
      [K in Editable<R['fields']>]: z.ZodOptional<TypeOf<R['fields'][K]>>
    }),
    clear: fieldsToClear(clearable as unknown as readonly [Clearable<R['fields']>, ...Clearable<R['fields']>[]]),
    ifRevision: ifRevision(),
  }
}

/** Builds the result fields of a record. A field that can be cleared to null is nullable. */
export function buildResultFields<R extends TypedRecord, const N extends keyof R['fields'] & string>(record: R, names: readonly N[]) {
  const shape = names.map((name) => {
    const field = typed(record, name)
    return [name, field.empty === null ? described(field).nullable() : described(field)]
  })
  return Object.fromEntries(shape) as { [K in N]: ResultType<R['fields'][K]> }
}

/** Reads the values of a record's result fields from its row. */
export function readRecordFields<T extends RecordTable, F extends RecordFieldDefinitions<T>, const N extends keyof F & string>(
  record: RecordDefinition<T, F>,
  row: RecordRow<T>,
  names: readonly N[],
): { [K in N]: z.input<ResultType<F[K]>> } {
  const values = toRecordFieldValues(record, row)
  return Object.fromEntries(names.map((name) => [name, values[name]])) as never
}
