import { DEFAULT_MAX_LIST_BYTES, takeItemsWithinByteLimit } from '../../kernel/bytes.ts'

/** Maximum number of items in each list of a tool result. */
const MAX_ITEMS = 1000

type Lists = Record<string, readonly unknown[]>
type Shown<L extends Lists> = { [K in keyof L]: L[K][number][] }

interface Filled<L extends Lists> {
  shown: Shown<L>
  bytes: number
  /** A note for each truncated list, for example "400 of 1100 changed". */
  cut: string[]
}

/** Truncates lists to a shared size limit; earlier lists take precedence. */
function fill<L extends Lists>(lists: L, room: number, most: number): Filled<L> {
  const shown: Record<string, unknown[]> = {}
  const cut: string[] = []
  let bytes = 0
  for (const [name, items] of Object.entries(lists)) {
    const kept = takeItemsWithinByteLimit(items, { maxBytes: room - bytes, maxItems: most })
    bytes += kept.bytes
    shown[name] = kept.items
    if (kept.items.length < items.length) cut.push(`${kept.items.length} of ${items.length} ${name}`)
  }
  return { shown: shown as Shown<L>, bytes, cut }
}

/** Truncates the lists of a result to the size limit, and adds a note on how to see the rest. */
export function truncateLists<L extends Lists>(lists: L, how: string): Shown<L> & { truncated?: true; note?: string } {
  const { shown, cut } = fill(lists, DEFAULT_MAX_LIST_BYTES, MAX_ITEMS)
  return { ...shown, ...(cut.length === 0 ? {} : { truncated: true as const, note: `Shows ${cut.join(', ')}: ${how}` }) }
}

/**
 * Truncates the lists of a result to the size limit, and reports the truncation as a warning. At least half of the space is reserved for
 * the lists.
 */
export function truncateListsWithWarnings<L extends Lists>(
  all: readonly string[],
  lists: L,
  how: string,
): Shown<L> & { warnings: string[] } {
  const { shown, bytes, cut } = fill({ warnings: all }, DEFAULT_MAX_LIST_BYTES / 2, MAX_ITEMS - 1)
  const rest = fill(lists, DEFAULT_MAX_LIST_BYTES - bytes, MAX_ITEMS)
  const notes = [...cut, ...rest.cut]
  return { ...rest.shown, warnings: notes.length === 0 ? shown.warnings : [...shown.warnings, `Shows ${notes.join(', ')}: ${how}`] }
}
