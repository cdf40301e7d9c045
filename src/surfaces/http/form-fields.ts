export interface FormLimits {
  fields: number
  /** Of one name, in bytes. */
  name: number
  /** Of one value, in bytes. */
  value: number
}

export type FormFields = readonly (readonly [name: string, value: string])[]

/** What no page and no app of ours needs more of. */
export const FORM_LIMITS: FormLimits = { fields: 500, name: 200, value: 200 * 1024 }

export type FormRefusal = { refused: string }

/**
 * The fields of an `application/x-www-form-urlencoded` body in their order, repeated ones too. It stops at the first that is too many,
 * too long or too large: before somebody has signed in, nobody may have us build a hundred thousand of anything.
 */
export function formFields(body: string, limits: FormLimits = FORM_LIMITS): { fields: FormFields } | FormRefusal {
  const fields: [string, string][] = []
  for (let from = 0; from < body.length;) {
    const next = body.indexOf('&', from)
    const to = next < 0 ? body.length : next
    if (to > from) {
      if (fields.length === limits.fields) return tooManyFields(limits)
      // The ampersand keeps a question mark at the beginning of a name, which would else be taken for that of an address.
      const [[name, value] = ['', '']] = new URLSearchParams(`&${body.slice(from, to)}`)
      const refusal = overLimit(name, value, limits)
      if (refusal) return refusal
      fields.push([name, value])
    }
    from = to + 1
  }
  return { fields }
}

export const tooManyFields = ({ fields }: FormLimits): FormRefusal => ({ refused: `The form has more than ${fields} fields` })

export const tooLargeForm = (bytes: number): FormRefusal => ({ refused: `The form has more than ${Math.round(bytes / 1024)} KB` })

export const tooLongName = ({ name }: FormLimits): FormRefusal => ({ refused: `The name of a field has more than ${name} bytes` })

export const tooLongValue = ({ value }: FormLimits): FormRefusal => ({ refused: `A field has more than ${value} bytes` })

function overLimit(name: string, value: string, limits: FormLimits): FormRefusal | null {
  if (Buffer.byteLength(name) > limits.name) return tooLongName(limits)
  return Buffer.byteLength(value) > limits.value ? tooLongValue(limits) : null
}
