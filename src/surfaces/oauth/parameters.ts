/** The parameters of a request. One without a value counts as left out, as RFC 6749 asks. */
export interface Parameters {
  /** The first value; checks make sure that there is no other. */
  get: (name: string) => string | null
  all: (name: string) => string[]
  repeated: () => string[]
}

export function parametersOf(query: string): Parameters {
  const given = new URLSearchParams(query)
  const all = (name: string) => given.getAll(name).filter((value) => value !== '')
  return {
    all,
    get: (name) => all(name)[0] ?? null,
    repeated: () => [...new Set(given.keys())].filter((name) => given.getAll(name).length > 1),
  }
}
