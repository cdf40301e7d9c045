/** More than this many paths nobody reads, and results have to stay readable. */
const MOST = 400

/** The first of a long list, and a sentence on the rest. */
export function toldOf<T>(what: string, items: readonly T[]): { shown: T[]; more: string[] } {
  const left = items.length - MOST
  return { shown: items.slice(0, MOST), more: left > 0 ? [`${left} more ${what} are not listed here`] : [] }
}

/** What assistants can take in of one result, with room for the rest of it. */
const MAX_BYTES = 60_000

type Lists = Record<string, readonly unknown[]>
type Fitting<L extends Lists> = { [K in keyof L]: L[K][number][] } & { truncated?: true; note?: string }

/** Lists of a result as far as they fit, the first ones first; what was left out is told with how to see it. */
export function fitting<L extends Lists>(lists: L, how: string): Fitting<L> {
  let room = MAX_BYTES
  const left: string[] = []
  const shown = Object.entries(lists).map(([name, items]) => {
    const kept: unknown[] = []
    for (const item of items) {
      room -= Buffer.byteLength(JSON.stringify(item)) + 1
      if (room < 0) break
      kept.push(item)
    }
    if (kept.length < items.length) left.push(`${kept.length} of ${items.length} ${name}`)
    return [name, kept] as const
  })
  const cut = left.length > 0 ? { truncated: true as const, note: `Shows ${left.join(', ')}: ${how}` } : {}
  return { ...Object.fromEntries(shown), ...cut } as Fitting<L>
}
