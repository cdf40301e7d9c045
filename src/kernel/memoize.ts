/**
 * Caches the results of a function of one text. At most `maxEntries` results are kept, because the texts may come from users; then the
 * cache starts empty again.
 */
export function memoize<T extends object | string | null>(maxEntries: number, compute: (text: string) => T): (text: string) => T {
  const cache = new Map<string, T>()
  return (text) => {
    const known = cache.get(text)
    if (known !== undefined) return known
    if (cache.size >= maxEntries) cache.clear()
    const computed = compute(text)
    cache.set(text, computed)
    return computed
  }
}
