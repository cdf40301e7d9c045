import { parseFormFields } from '../http/form-fields.ts'
import { OAuthError } from './oauth-error.ts'

/** The parameters of a request. An empty value counts as omitted, as RFC 6749 requires. */
export interface OauthParameters {
  /** Returns the first value of a parameter. Requests with repeated parameters are rejected separately. */
  get: (name: string) => string | null
  all: (name: string) => string[]
  repeated: () => string[]
}

/** Limits the number of parameters; apps send about ten. Their length is already limited by the maximum size of the body or URL. */
const LIMITS = { fields: 50, name: Infinity, value: Infinity }

/** Parses a form body, or a query string without its question mark. */
export function parseOauthParameters(text: string): OauthParameters {
  const read = parseFormFields(text, LIMITS)
  if ('refused' in read) throw new OAuthError('invalid_request', `Too many parameters: the limit is ${LIMITS.fields}`)
  const given = Map.groupBy(read.fields, ([name]) => name)
  const all = (name: string) => (given.get(name) ?? []).map(([, value]) => value).filter((value) => value !== '')
  return {
    all,
    get: (name) => all(name)[0] ?? null,
    repeated: () => [...given].filter(([, values]) => values.length > 1).map(([name]) => name),
  }
}
