/** Stores queued scans, so that they survive a reload. `localStorage` is such a store. */
export interface LeadStore {
  getItem: (key: string) => string | null
  setItem: (key: string, value: string) => void
}

/** A list stored under one key. Values that are not items of this list are ignored. */
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

/** Reading `localStorage` throws if the browser blocks site data. */
function storeOfBrowser(): LeadStore | null {
  try {
    return typeof document === 'undefined' ? null : localStorage
  } catch {
    return null
  }
}

/** Runs in one window at a time, because windows share the store. Browsers without the Web Locks API run it at once. */
export const alone = <T>(key: string, run: () => Promise<T>): Promise<T> =>
  typeof document === 'undefined' || navigator.locks === undefined ? run() : navigator.locks.request(key, run)
