/** Where scans wait over a reload: `localStorage` is one. */
export interface LeadStore {
  getItem: (key: string) => string | null
  setItem: (key: string, value: string) => void
}

/** A list that is kept under one key. What somebody else left there is none of its items. */
export interface KeptList<T> {
  items: () => T[]
  keep: (items: readonly T[]) => void
}

export function keptList<T>(store: LeadStore | undefined, key: string, isItem: (value: unknown) => value is T): KeptList<T> {
  const where = store ?? storeOfBrowser() ?? inMemory()
  return {
    items() {
      const kept = parsed(where.getItem(key))
      return Array.isArray(kept) ? kept.filter(isItem) : []
    },
    keep: (items) => where.setItem(key, JSON.stringify(items)),
  }
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '[]')
  } catch {
    return []
  }
}

function inMemory(): LeadStore {
  const kept = new Map<string, string>()
  return { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => void kept.set(key, value) }
}

/** A browser that keeps nothing refuses to hand it out. */
function storeOfBrowser(): LeadStore | null {
  try {
    return typeof document === 'undefined' ? null : localStorage
  } catch {
    return null
  }
}

/** Two windows share one store: where the browser can, only one of them sends at a time. */
export const alone = <T>(key: string, run: () => Promise<T>): Promise<T> =>
  typeof document === 'undefined' || navigator.locks === undefined ? run() : navigator.locks.request(key, run)
