/** Made when it is first asked for, and kept: what a start would make for nobody, because not everything is asked for. */
export function onDemand<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => (made ??= { value: make() }).value
}
