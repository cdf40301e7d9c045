import type { FormFields } from '../http/form-fields.ts'

const ALL = Symbol('all values')

/** The fields of a form by name. Of one that was sent several times this is the last; `everyValue` has them all. */
export interface FormValues {
  [name: string]: string
  [ALL]?: ReadonlyMap<string, readonly string[]>
}

/** Without a prototype: a form without a field `constructor` has none. The database takes no NUL, and no field of a page means one. */
export function formValues(fields: FormFields): FormValues {
  const values = Object.create(null) as FormValues
  const all = new Map<string, string[]>()
  for (const [name, sent] of fields) {
    const value = sent.replaceAll('\0', '')
    values[name] = value
    const before = all.get(name)
    if (before) before.push(value)
    else all.set(name, [value])
  }
  values[ALL] = all
  return values
}

/** All values of a field that may be sent several times, as a group of checkboxes is; none when it was left out. */
export const everyValue = (form: FormValues, name: string): readonly string[] =>
  form[ALL]?.get(name) ?? (form[name] === undefined ? [] : [form[name]])
