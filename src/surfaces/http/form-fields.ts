export interface FormLimits {
  fields: number
  /** Maximum bytes of a field's name. */
  name: number
  /** Maximum bytes of a field's value. */
  value: number
}

export type FormFields = readonly (readonly [name: string, value: string])[]

/** Limits of a submitted form, higher than any form of our own pages and apps needs. */
export const FORM_LIMITS: FormLimits = { fields: 500, name: 200, value: 200 * 1024 }

export type FormError = { refused: string }

/**
 * Parses the fields of an `application/x-www-form-urlencoded` body in order, including repeated ones. Parsing stops at the first field that
 * exceeds a limit, because unauthenticated callers must not make the server allocate without bounds.
 */
export function parseFormFields(body: string, limits: FormLimits = FORM_LIMITS): { fields: FormFields } | FormError {
  const fields: [string, string][] = []
  for (let from = 0; from < body.length;) {
    const next = body.indexOf('&', from)
    const to = next < 0 ? body.length : next
    if (to > from) {
      if (fields.length === limits.fields) return createTooManyFieldsError(limits)
      // The added ampersand preserves a question mark at the start of the field's name, which URLSearchParams would drop.
      const [[name, value] = ['', '']] = new URLSearchParams(`&${body.slice(from, to)}`)
      const refusal = findLimitError(name, value, limits)
      if (refusal) return refusal
      fields.push([name, value])
    }
    from = to + 1
  }
  return { fields }
}

export const createTooManyFieldsError = ({ fields }: FormLimits): FormError => ({ refused: `The form has more than ${fields} fields` })

export const createTooLargeFormError = (bytes: number): FormError => ({ refused: `The form has more than ${Math.round(bytes / 1024)} KB` })

export const createTooLongFieldNameError = ({ name }: FormLimits): FormError => ({
  refused: `The name of a field has more than ${name} bytes`,
})

export const createTooLongFieldValueError = ({ value }: FormLimits): FormError => ({ refused: `A field has more than ${value} bytes` })

function findLimitError(name: string, value: string, limits: FormLimits): FormError | null {
  if (Buffer.byteLength(name) > limits.name) return createTooLongFieldNameError(limits)
  return Buffer.byteLength(value) > limits.value ? createTooLongFieldValueError(limits) : null
}
