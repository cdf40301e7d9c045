/** Thrown by the `run` of a tool with `prefetchOnDemand` that cannot decide without what `prefetch` returns. The call then runs again with it. */
export class PrefetchNeeded extends Error {
  constructor() {
    super('The tool needs its prefetched value.')
  }
}
