/** More than this many paths nobody reads, and results have to stay readable. */
const MOST = 400

/** The first of a long list, and a sentence on the rest. */
export function toldOf<T>(what: string, items: readonly T[]): { shown: T[]; more: string[] } {
  const left = items.length - MOST
  return { shown: items.slice(0, MOST), more: left > 0 ? [`${left} more ${what} are not listed here`] : [] }
}
