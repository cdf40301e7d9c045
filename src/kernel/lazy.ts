/** Computes the value on first use and caches it, so that startup does not build values that are never used. */
export function makeLazy<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => (made ??= { value: make() }).value
}
