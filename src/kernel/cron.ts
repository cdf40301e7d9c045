import { addDays, atWallTime, dayIn } from './time.ts'

/** When recurring work falls due: every so many seconds, counted from 1970, or at the times a cron expression names in a zone. */
export type Schedule = { everySeconds: number } | { cron: string; zone?: string }

interface Field {
  name: string
  min: number
  max: number
}

const FIELDS = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of the month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12 },
  // Sunday is 0, and 7 too.
  { name: 'day of the week', min: 0, max: 7 },
] as const satisfies readonly Field[]

interface Cron {
  /** Of a day it runs on, in order. */
  times: readonly string[]
  runsOn: (day: string) => boolean
}

const PART = /^(?:(\*)|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/

function numbersIn(text: string, { name, min, max }: Field): Set<number> {
  const numbers = new Set<number>()
  for (const part of text.split(',')) {
    const match = PART.exec(part)
    const [, all, first, last, step] = match ?? []
    const from = all ? min : Number(first)
    // `5/15` is from 5 on, as everywhere.
    const to = all || (step !== undefined && last === undefined) ? max : Number(last ?? first)
    if (!match || from < min || to > max || from > to || step === '0') throw new Error(`${part} is no ${name} of a cron expression`)
    for (let n = from; n <= to; n += Number(step ?? 1)) numbers.add(n)
  }
  return numbers
}

const parsed = new Map<string, Cron>()

/** Five fields of numbers, lists, ranges and steps. Where both days are restricted either is enough, as cron has always had it. */
function parseCron(expression: string): Cron {
  const known = parsed.get(expression)
  if (known) return known
  const texts = expression.trim().split(/\s+/)
  if (texts.length !== FIELDS.length) throw new Error(`${expression} has not the five fields of a cron expression`)
  const [minutes, hours, days, months, weekdays] = FIELDS.map((field, i) => numbersIn(texts[i]!, field)) as [
    Set<number>,
    Set<number>,
    Set<number>,
    Set<number>,
    Set<number>,
  ]
  if (weekdays.has(7)) weekdays.add(0)
  const [anyDay, anyWeekday] = [texts[2]!.startsWith('*'), texts[4]!.startsWith('*')]
  const cron: Cron = {
    times: [...hours].flatMap((hour) => [...minutes].map((minute) => `${twoDigits(hour)}:${twoDigits(minute)}`)).toSorted(),
    runsOn(day) {
      const date = new Date(`${day}T00:00:00Z`)
      if (!months.has(date.getUTCMonth() + 1)) return false
      const [onDay, onWeekday] = [days.has(date.getUTCDate()), weekdays.has(date.getUTCDay())]
      return anyDay || anyWeekday ? onDay && onWeekday : onDay || onWeekday
    },
  }
  parsed.set(expression, cron)
  return cron
}

/** 29 February may be eight years away. */
const FARTHEST_DAYS = 8 * 366 + 1

/** The last time it fell due, at this instant at the latest. */
export function lastSlot(schedule: Schedule, at: Date): Date {
  if ('everySeconds' in schedule) return floorTo(schedule.everySeconds, at)
  return findSlot(schedule, at, -1)
}

/** The first time it falls due after this instant. */
export function nextSlot(schedule: Schedule, at: Date): Date {
  if ('everySeconds' in schedule) return new Date(floorTo(schedule.everySeconds, at).getTime() + schedule.everySeconds * 1000)
  return findSlot(schedule, at, 1)
}

const floorTo = (seconds: number, at: Date) => new Date(Math.floor(at.getTime() / (seconds * 1000)) * seconds * 1000)

/**
 * Day by day from the day it is there. Wall times in order are instants in order too, for one that is skipped is the first instant after
 * the gap and one that comes twice is the earlier: so nothing falls due twice in a night that is set back, and nothing is left out in one
 * that is set forward.
 */
function findSlot({ cron: expression, zone = 'UTC' }: { cron: string; zone?: string }, at: Date, direction: 1 | -1): Date {
  const { times, runsOn } = parseCron(expression)
  const first = dayIn(zone, at)
  for (let i = 0; i <= FARTHEST_DAYS; i++) {
    const day = addDays(first, i * direction)
    if (!runsOn(day)) continue
    const slotAt = (time: string) => atWallTime(zone, `${day}T${time}`)
    const past = countWhile(times, (time) => slotAt(time) <= at)
    const found = times[direction === 1 ? past : past - 1]
    if (found) return slotAt(found)
  }
  throw new Error(`${expression} names no day that there is`)
}

/** How many of the first are so, by halving: looking at a time of day in a zone is not cheap, and there may be 1,440. */
function countWhile<T>(items: readonly T[], isSo: (item: T) => boolean): number {
  let [low, high] = [0, items.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (isSo(items[middle]!)) low = middle + 1
    else high = middle
  }
  return low
}

const twoDigits = (n: number) => String(n).padStart(2, '0')
