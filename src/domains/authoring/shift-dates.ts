import { addDays, atWallTime, isDay, wallTimeIn } from '../../kernel/time.ts'
import { isRecord, pointerOf, segmentOf } from '../configuration/pointers.ts'
import type { ConfigDocument } from '../configuration/schema/event-config.ts'
import { type ConfigNode, nodeFor, ROOT } from '../configuration/schema/nodes.ts'

export const DATE_SHIFTS = ['shift', 'clear', 'keep'] as const
export type DateShift = (typeof DATE_SHIFTS)[number]

export interface Shift {
  mode: DateShift
  days: number
  /** In which wall times are read, and in which they are written. */
  fromZone: string
  toZone: string
}

export interface DateMove {
  path: string
  before: string
  /** Null for what was cleared. */
  after: string | null
}

/** The event's own days are set by whoever moves it; a tax is valid by law, whenever an event is. */
const isFixed = (path: string) => path === '/details/startsOn' || path === '/details/endsOn' || path.startsWith('/taxes/')

/** Cleared where a date is needed: the row or widget around it says nothing without one. */
const GONE = Symbol('gone')

/** Moves every other date of a document: days by days, instants to the same time on the clock. */
export function shiftDates(document: ConfigDocument, shift: Shift): { document: ConfigDocument; moves: DateMove[] } {
  const moves: DateMove[] = []
  const unmoved = shift.mode === 'keep' || (shift.mode === 'shift' && shift.days === 0 && shift.fromZone === shift.toZone)
  if (unmoved) return { document, moves }

  const visit = (bare: ConfigNode, value: unknown, path: string): unknown => {
    const node = nodeFor(bare, value)
    if (node.kind === 'value') {
      if (!node.word.dated || typeof value !== 'string' || isFixed(path)) return value
      const after = shift.mode === 'clear' ? null : moved(value, shift)
      if (after !== value) moves.push({ path, before: value, after })
      return after ?? GONE
    }
    if (node.kind === 'list' && Array.isArray(value)) {
      return value.flatMap((item, index) => {
        const next = visit(node.item, item, path + pointerOf([segmentOf(item, index, node.key)]))
        return next === GONE ? [] : [next]
      })
    }
    if (node.kind !== 'object' || !isRecord(value)) return value
    const parts: [string, unknown][] = []
    for (const [name, part] of Object.entries(value)) {
      const field = node.fields.get(name)
      const next = field ? visit(field, part, path + pointerOf([name])) : part
      if (next === GONE && field?.default === undefined) return GONE
      if (next !== GONE) parts.push([name, next])
    }
    return Object.fromEntries(parts)
  }
  const next = visit(ROOT, document, '') as ConfigDocument
  return { document: next, moves: moves.toSorted((a, b) => (a.path < b.path ? -1 : 1)) }
}

function moved(written: string, { days, fromZone, toZone }: Shift): string {
  if (isDay(written)) return addDays(written, days)
  const instant = new Date(written)
  const [day, time] = wallTimeIn(fromZone, instant).split('T') as [string, string]
  // Clocks change by whole seconds, so what is finer stays as it is.
  return new Date(atWallTime(toZone, `${addDays(day, days)}T${time}`).getTime() + instant.getUTCMilliseconds()).toISOString()
}

const MAX_SAMPLES = 20

/** What a result tells of them: how many, and the first few. */
export const toldMoves = (moves: readonly DateMove[]) => ({
  count: moves.length,
  samples: moves.slice(0, MAX_SAMPLES).map((move) => ({ ...move })),
})
