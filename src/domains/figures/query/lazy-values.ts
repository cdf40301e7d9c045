/** A parameter of a SQL statement that is computed just before the statement runs. */
export class LazyValue {
  readonly compute: () => Promise<unknown>

  constructor(compute: () => Promise<unknown>) {
    this.compute = compute
  }
}

/** Replaces lazy values among the parameters of a SQL statement by computed ones, one by one, because all use the same connection. */
export async function computeLazyValues(values: readonly unknown[]): Promise<unknown[]> {
  const computed: unknown[] = []
  for (const value of values) computed.push(value instanceof LazyValue ? await value.compute() : value)
  return computed
}
