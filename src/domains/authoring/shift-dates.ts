import { addDays, wallTimeToInstant, isCalendarDay, toWallTimeInZone } from '../../kernel/time.ts'
import { isJsonObject, toPointer, toPointerSegment } from '../configuration/pointers.ts'
import type { ConfigDocument } from '../configuration/schema/event-config.ts'
import { type ConfigNode, resolveUnionNode, ROOT_NODE } from '../configuration/schema/nodes.ts'

export const DATE_SHIFT_MODES = ['shift', 'clear', 'keep'] as const
export type DateShiftMode = (typeof DATE_SHIFT_MODES)[number]

export interface DateShiftOptions {
  mode: DateShiftMode
  days: number
  /** Time zones of the source and the target event. Local times are read in `fromZone` and written in `toZone`. */
  fromZone: string
  toZone: string
}

export interface ShiftedDate {
  path: string
  before: string
  /** The date after the shift; null if the date was cleared. */
  after: string | null
}

/** Dates that never shift: the event's own dates, which the caller sets, and the validity of taxes, which is set by law. */
const isFixedDate = (path: string) => path === '/details/startsOn' || path === '/details/endsOn' || path.startsWith('/taxes/')

/** Marks a required date that was cleared, so that the price row or widget around it is removed. */
const REMOVED = Symbol('gone')

/** Shifts all dates of a document except the fixed ones: days by a number of days, instants to the same local time. */
export function shiftDates(document: ConfigDocument, shift: DateShiftOptions): { document: ConfigDocument; moves: ShiftedDate[] } {
  const moves: ShiftedDate[] = []
  const unmoved = shift.mode === 'keep' || (shift.mode === 'shift' && shift.days === 0 && shift.fromZone === shift.toZone)
  if (unmoved) return { document, moves }

  const visit = (bare: ConfigNode, value: unknown, path: string): unknown => {
    const node = resolveUnionNode(bare, value)
    if (node.kind === 'value') {
      if (!node.annotations.dated || typeof value !== 'string' || isFixedDate(path)) return value
      const after = shift.mode === 'clear' ? null : shiftDate(value, shift)
      if (after !== value) moves.push({ path, before: value, after })
      return after ?? REMOVED
    }
    if (node.kind === 'list' && Array.isArray(value)) {
      return value.flatMap((item, index) => {
        const next = visit(node.item, item, path + toPointer([toPointerSegment(item, index, node.key)]))
        return next === REMOVED ? [] : [next]
      })
    }
    if (node.kind !== 'object' || !isJsonObject(value)) return value
    const parts: [string, unknown][] = []
    for (const [name, part] of Object.entries(value)) {
      const field = node.fields.get(name)
      const next = field ? visit(field, part, path + toPointer([name])) : part
      if (next === REMOVED && field?.default === undefined) return REMOVED
      if (next !== REMOVED) parts.push([name, next])
    }
    return Object.fromEntries(parts)
  }
  const next = visit(ROOT_NODE, document, '') as ConfigDocument
  return { document: next, moves: moves.toSorted((a, b) => (a.path < b.path ? -1 : 1)) }
}

function shiftDate(written: string, { days, fromZone, toZone }: DateShiftOptions): string {
  if (isCalendarDay(written)) return addDays(written, days)
  const instant = new Date(written)
  const [day, time] = toWallTimeInZone(fromZone, instant).split('T') as [string, string]
  // Wall times have whole seconds, so milliseconds are added back.
  return new Date(wallTimeToInstant(toZone, `${addDays(day, days)}T${time}`).getTime() + instant.getUTCMilliseconds()).toISOString()
}

const MAX_SAMPLES = 20

/** Returns the number of shifted dates and the first few of them, for tool results. */
export const summarizeShiftedDates = (moves: readonly ShiftedDate[]) => ({
  count: moves.length,
  samples: moves.slice(0, MAX_SAMPLES).map((move) => ({ ...move })),
})
