import { formFields } from '../http/form-fields.ts'
import { OAuthError } from './oauth-error.ts'

/** The parameters of a request. One without a value counts as left out, as RFC 6749 asks. */
export interface Parameters {
  /** The first value; checks make sure that there is no other. */
  get: (name: string) => string | null
  all: (name: string) => string[]
  repeated: () => string[]
}

/** Apps send about ten. How long they are is limited by the body or the address that they come in. */
const LIMITS = { fields: 50, name: Infinity, value: Infinity }

/** Of a body, or of an address without its question mark. */
export function parametersOf(text: string): Parameters {
  const read = formFields(text, LIMITS)
  if ('refused' in read) throw new OAuthError('invalid_request', `At most ${LIMITS.fields} parameters are read`)
  const given = Map.groupBy(read.fields, ([name]) => name)
  const all = (name: string) => (given.get(name) ?? []).map(([, value]) => value).filter((value) => value !== '')
  return {
    all,
    get: (name) => all(name)[0] ?? null,
    repeated: () => [...given].filter(([, values]) => values.length > 1).map(([name]) => name),
  }
}
