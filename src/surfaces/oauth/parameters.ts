import { formPairs } from '../http/form-pairs.ts'
import { OAuthError } from './oauth-error.ts'

/** The parameters of a request. One without a value counts as left out, as RFC 6749 asks. */
export interface Parameters {
  /** The first value; checks make sure that there is no other. */
  get: (name: string) => string | null
  all: (name: string) => string[]
  repeated: () => string[]
}

/** Apps send about ten. */
const MOST = 50

export function parametersOf(query: string): Parameters {
  const pairs = formPairs(query, MOST)
  if (!pairs) throw new OAuthError('invalid_request', `At most ${MOST} parameters are read`)
  const given = Map.groupBy(pairs, ([name]) => name)
  const all = (name: string) => (given.get(name) ?? []).map(([, value]) => value).filter((value) => value !== '')
  return {
    all,
    get: (name) => all(name)[0] ?? null,
    repeated: () => [...given].filter(([, values]) => values.length > 1).map(([name]) => name),
  }
}
