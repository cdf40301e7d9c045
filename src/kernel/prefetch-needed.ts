/**
 * Thrown by the `run` of a tool with `prefetchOnDemand` that cannot decide without the value of `prefetch`. The call then runs again with
 * that value.
 */
export class PrefetchNeededError extends Error {
  constructor() {
    super('The tool needs its prefetched value.')
  }
}
