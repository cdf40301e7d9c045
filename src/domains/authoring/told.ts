import { firstThatFit } from '../../kernel/bytes.ts'

/** What assistants can take in of one result, with room for the rest of it. */
const MAX_BYTES = 60_000
/** More items than this no list of a result may have. */
const MAX_ITEMS = 1000

type Lists = Record<string, readonly unknown[]>
type Shown<L extends Lists> = { [K in keyof L]: L[K][number][] }

interface Filled<L extends Lists> {
  shown: Shown<L>
  bytes: number
  /** "400 of 1100 changed" for each list that is not whole. */
  cut: string[]
}

/** As much of the lists as fits: they share one room, and the first ones take theirs first. */
function fill<L extends Lists>(lists: L, room: number, most: number): Filled<L> {
  const shown: Record<string, unknown[]> = {}
  const cut: string[] = []
  let bytes = 0
  for (const [name, items] of Object.entries(lists)) {
    const kept = firstThatFit(items, { room: room - bytes, most })
    bytes += kept.bytes
    shown[name] = kept.items
    if (kept.items.length < items.length) cut.push(`${kept.items.length} of ${items.length} ${name}`)
  }
  return { shown: shown as Shown<L>, bytes, cut }
}

/** Lists of a result as far as they fit beside the bytes that are taken already; what was left out is told with how to see it. */
export function fitting<L extends Lists>(lists: L, how: string, taken = 0): Shown<L> & { truncated?: true; note?: string } {
  const { shown, cut } = fill(lists, MAX_BYTES - taken, MAX_ITEMS)
  return { ...shown, ...(cut.length === 0 ? {} : { truncated: true as const, note: `Shows ${cut.join(', ')}: ${how}` }) }
}

/** The same for results that say among their warnings what they leave out. However many warnings there are, the lists have half of the room. */
export function fittingWithWarnings<L extends Lists>(all: readonly string[], lists: L, how: string): Shown<L> & { warnings: string[] } {
  const { shown, bytes, cut } = fill({ warnings: all }, MAX_BYTES / 2, MAX_ITEMS - 1)
  const rest = fill(lists, MAX_BYTES - bytes, MAX_ITEMS)
  const notes = [...cut, ...rest.cut]
  return { ...rest.shown, warnings: notes.length === 0 ? shown.warnings : [...shown.warnings, `Shows ${notes.join(', ')}: ${how}`] }
}
