/** A bound value that is computed before the first statement that uses it runs. */
export class LazyValue {
  readonly compute: () => Promise<unknown>

  constructor(compute: () => Promise<unknown>) {
    this.compute = compute
  }
}

/** Computes the lazy values among the bound values of a statement. They are computed in sequence, because they read on one connection. */
export async function computeLazyValues(values: readonly unknown[]): Promise<unknown[]> {
  const computed: unknown[] = []
  for (const value of values) computed.push(value instanceof LazyValue ? await value.compute() : value)
  return computed
}
