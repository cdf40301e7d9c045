const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

export const CHART_PERIODS = ['hour', 'day', 'week', 'month', 'quarter', 'year'] as const
export type ChartPeriod = (typeof CHART_PERIODS)[number]

/** A moment on a time axis: the start of a calendar day or other period, or an instant. */
export interface TimeAxisMoment {
  /** The position on the axis in milliseconds: midnight UTC for a calendar day, otherwise the instant itself. */
  at: number
  /** The local date and time of the moment in milliseconds, as if it were UTC, for labels. */
  local: number
  /** The kind of period that starts at this moment, such as `month`; null for an instant that is not the start of an hour. */
  period: ChartPeriod | null
}

const INSTANT = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(:\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)$/

/** Parses the start of a period as query results write it: 2026, 2026-Q4, 2026-10, 2026-10-05 or 2026-10-05T14:00+02:00. */
export function parseTimeAxisMoment(text: string): TimeAxisMoment | null {
  const at = (date: string, period: ChartPeriod) => {
    const time = Date.parse(`${date}T00:00:00Z`)
    return Number.isNaN(time) ? null : { at: time, local: time, period }
  }
  if (/^\d{4}$/.test(text)) return at(`${text}-01-01`, 'year')
  const [, year, quarter] = /^(\d{4})-Q([1-4])$/.exec(text) ?? []
  if (year !== undefined) return at(`${year}-${String(Number(quarter) * 3 - 2).padStart(2, '0')}-01`, 'quarter')
  if (/^\d{4}-\d\d$/.test(text)) return at(`${text}-01`, 'month')
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return at(text, 'day')
  const [, local, seconds] = INSTANT.exec(text) ?? []
  if (local === undefined || Number.isNaN(Date.parse(text))) return null
  const isHour = local.endsWith(':00') && seconds === undefined
  return { at: Date.parse(text), local: Date.parse(`${local}${seconds ?? ''}Z`), period: isHour ? 'hour' : null }
}

/** Returns the kind of period that starts at every moment of an axis; null if the kinds differ. Days that are all Mondays are weeks. */
export function findCommonPeriod(moments: readonly TimeAxisMoment[]): ChartPeriod | null {
  const [first, ...rest] = moments
  if (first?.period == null || rest.some(({ period }) => period !== first.period)) return null
  const isWeekly = rest.length > 0 && moments.every(({ at }) => new Date(at).getUTCDay() === 1)
  return first.period === 'day' && isWeekly ? 'week' : first.period
}

/** Returns the start of the next period. */
export function getNextPeriodStart({ at, local, period: own }: TimeAxisMoment, period: ChartPeriod): TimeAxisMoment {
  if (period === 'hour') return { at: at + HOUR_MS, local: local + HOUR_MS, period: own }
  const date = new Date(at)
  const next =
    period === 'day' || period === 'week'
      ? at + DAY_MS * (period === 'day' ? 1 : 7)
      : date.setUTCMonth(date.getUTCMonth() + { month: 1, quarter: 3, year: 12 }[period])
  return { at: next, local: next, period: own }
}

/** The maximum number of periods that a time axis has. */
export const MAX_TIME_AXIS_PERIODS = 5000

/** Lists all moments from the first to the last in steps of a period; null if there are more than MAX_TIME_AXIS_PERIODS. */
export function listPeriodStarts(moments: readonly TimeAxisMoment[], period: ChartPeriod): readonly TimeAxisMoment[] | null {
  const sorted = moments.toSorted((a, b) => a.at - b.at)
  const given = new Map(sorted.map((moment) => [moment.at, moment]))
  const all: TimeAxisMoment[] = []
  const last = sorted.at(-1)?.at ?? 0
  for (let moment = sorted[0]; moment !== undefined && moment.at <= last; moment = getNextPeriodStart(moment, period)) {
    // A moment from the data replaces the computed one, whose local time is wrong after a change to or from summer time.
    moment = given.get(moment.at) ?? moment
    all.push(moment)
    if (all.length > MAX_TIME_AXIS_PERIODS) return null
  }
  const reached = new Set(all.map(({ at }) => at))
  return sorted.every(({ at }) => reached.has(at)) ? all : sorted
}

type Precision = 'minute' | 'hour' | 'day' | 'month' | 'quarter' | 'year'

const FORMATS: Record<'minute' | 'hour' | 'day' | 'month' | 'year', Intl.DateTimeFormatOptions> = {
  minute: { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  hour: { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  day: { day: 'numeric', month: 'short' },
  month: { month: 'short' },
  year: { year: 'numeric' },
}

const formatters = new Map<string, Intl.DateTimeFormat>()
const MAX_FORMATTERS = 200

function formatterFor(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale} ${JSON.stringify(options)}`
  const known = formatters.get(key)
  if (known) return known
  if (formatters.size >= MAX_FORMATTERS) formatters.clear()
  // The locale `en` has no region; British English is used, so that days are written before months.
  const made = new Intl.DateTimeFormat(locale === 'en' ? 'en-GB' : locale === 'pt' ? 'pt-PT' : locale, { ...options, timeZone: 'UTC' })
  formatters.set(key, made)
  return made
}

/** Formats a moment for display. The labels of most ticks on an axis leave out the year. */
export function formatTimeAxisMoment(locale: string, { local }: TimeAxisMoment, precision: Precision, withYear: boolean): string {
  if (precision === 'quarter') {
    const date = new Date(local)
    return `Q${Math.floor(date.getUTCMonth() / 3) + 1}${withYear ? ` ${date.getUTCFullYear()}` : ''}`
  }
  return formatterFor(locale, { ...FORMATS[precision], ...(withYear ? { year: 'numeric' } : {}) }).format(local)
}

/** Returns how precisely a period is written, such as to the day for a week. */
export const getPeriodPrecision = (period: ChartPeriod | null): Precision =>
  period === null ? 'minute' : period === 'week' ? 'day' : period

const date = (moment: TimeAxisMoment) => new Date(moment.local)
const isMonthStart = (moment: TimeAxisMoment) => date(moment).getUTCDate() === 1 && isMidnight(moment)
const isMidnight = (moment: TimeAxisMoment) => date(moment).getUTCHours() === 0 && date(moment).getUTCMinutes() === 0
const monthOf = (moment: TimeAxisMoment) => date(moment).getUTCMonth()

/** Ways to choose the moments that get a tick, from the most ticks to the fewest, with the precision of the tick labels. */
const LEVELS: readonly { takes: (moment: TimeAxisMoment) => boolean; precision?: Precision; periods: readonly ChartPeriod[] }[] = [
  ...[3, 6, 12].map((hours) => ({
    takes: (moment: TimeAxisMoment) => date(moment).getUTCHours() % hours === 0,
    periods: ['hour'] as const,
  })),
  { takes: isMidnight, precision: 'day', periods: ['hour'] },
  { takes: (moment) => isMidnight(moment) && date(moment).getUTCDay() === 1, precision: 'day', periods: ['hour', 'day'] },
  { takes: isMonthStart, precision: 'month', periods: ['hour', 'day', 'month'] },
  {
    takes: (moment) => isMonthStart(moment) && monthOf(moment) % 3 === 0,
    precision: 'month',
    periods: ['hour', 'day', 'month', 'quarter'],
  },
  {
    takes: (moment) => isMonthStart(moment) && monthOf(moment) === 0,
    precision: 'year',
    periods: ['hour', 'day', 'month', 'quarter', 'year'],
  },
]

export interface Tick {
  value: number
  label: string
}

/** Chooses the ticks of a time axis: as many as fit, at expected moments such as Mondays or first days of months. */
export function chooseTimeTicks(
  moments: readonly TimeAxisMoment[],
  { period, locale, fits }: { period: ChartPeriod | null; locale: string; fits: (ticks: readonly Tick[]) => boolean },
): readonly Tick[] {
  const own = period === 'week' ? 'day' : period
  const all = { takes: () => true, precision: getPeriodPrecision(period) }
  const levels = own === null ? [] : LEVELS.filter(({ periods }) => periods.includes(own))
  for (const { takes, precision = getPeriodPrecision(period) } of [all, ...levels]) {
    const taken = moments.filter(takes)
    const ticks = labelTicks(taken, precision, locale)
    if ((taken.length >= 3 || taken.length === moments.length) && fits(ticks)) return ticks
  }
  return chooseFittingTicks(moments, (taken) => labelTicks(taken, getPeriodPrecision(period), locale), fits)
}

/** Labels ticks. The first tick, and every tick in another year than the tick before it, includes the year. */
const labelTicks = (moments: readonly TimeAxisMoment[], precision: Precision, locale: string): Tick[] =>
  moments.map((moment, index) => {
    const before = moments[index - 1]
    const isNewYear = before === undefined || date(before).getUTCFullYear() !== date(moment).getUTCFullYear()
    return { value: moment.at, label: formatTimeAxisMoment(locale, moment, precision, isNewYear) }
  })

/** Returns every n-th item as a tick, with the smallest n for which the labels fit. */
export function chooseFittingTicks<T>(
  items: readonly T[],
  label: (taken: readonly T[]) => readonly Tick[],
  fits: (ticks: readonly Tick[]) => boolean,
): readonly Tick[] {
  for (let every = 1; every < items.length; every++) {
    const ticks = label(items.filter((_, index) => index % every === 0))
    if (fits(ticks)) return ticks
  }
  return label(items.slice(0, 1))
}
