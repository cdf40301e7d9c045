import type { FormFields } from '../http/form-fields.ts'

const ALL_VALUES = Symbol('all values')

/** The fields of a form by name. For a repeated field this is the last value; `listFieldValues` returns all of them. */
export interface FormValues {
  [name: string]: string
  [ALL_VALUES]?: ReadonlyMap<string, readonly string[]>
}

/**
 * Converts form fields to an object without a prototype, so that looking up a field named `constructor` finds nothing. NUL is removed
 * because PostgreSQL rejects it.
 */
export function toFormValues(fields: FormFields): FormValues {
  const values = Object.create(null) as FormValues
  const all = new Map<string, string[]>()
  for (const [name, sent] of fields) {
    const value = sent.replaceAll('\0', '')
    values[name] = value
    const before = all.get(name)
    if (before) before.push(value)
    else all.set(name, [value])
  }
  values[ALL_VALUES] = all
  return values
}

/** All values of a field that can be repeated, such as a group of checkboxes; empty if the field is missing. */
export const listFieldValues = (form: FormValues, name: string): readonly string[] =>
  form[ALL_VALUES]?.get(name) ?? (form[name] === undefined ? [] : [form[name]])
