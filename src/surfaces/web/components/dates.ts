/** The date formats of all console pages. */
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })
/** The formatters of timestamps, by time zone. Building one takes about a hundred times as long as using it. */
const timestamps = new Map<string, Intl.DateTimeFormat>()

/** Formats a date range: "11–13 May 2027". */
export const formatEnglishDateRange = (from: string, until: string): string => day.formatRange(new Date(from), new Date(until))

/** Formats a day: "11 May 2027". */
export const formatDate = (date: string): string => day.format(new Date(date))

/** Formats a timestamp without its time zone, which the page states once: "15 Nov 2026, 09:05". */
export function formatTimestamp(at: Date, timeZone: string): string {
  let format = timestamps.get(timeZone)
  if (!format) {
    const numeric = 'numeric' as const
    format = new Intl.DateTimeFormat('en-GB', {
      day: numeric,
      month: 'short',
      year: numeric,
      hour: '2-digit',
      minute: '2-digit',
      timeZone,
    })
    timestamps.set(timeZone, format)
  }
  return format.format(at)
}

const LOCAL = { day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const

/** Formats a deadline in the event's time zone, without the year because it is near: "Thursday 16 September, 14:05". */
export const formatDeadline = (at: Date, timeZone: string): string =>
  formatParts(at, { ...LOCAL, weekday: 'long', month: 'long', timeZone })

/** The short form of `formatDeadline` for tables: "Thu 16 Sept, 14:05". */
export const formatShortDeadline = (at: Date, timeZone: string): string =>
  formatParts(at, { ...LOCAL, weekday: 'short', month: 'short', timeZone })

/** Joins date and time, which Intl separates differently in each format. */
function formatParts(at: Date, options: Intl.DateTimeFormatOptions): string {
  const parts = Object.fromEntries(new Intl.DateTimeFormat('en-GB', options).formatToParts(at).map(({ type, value }) => [type, value]))
  return `${parts['weekday']} ${parts['day']} ${parts['month']}, ${parts['hour']}:${parts['minute']}`
}

const dayOfYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

/** Formats a day, with its year only if it is another year than today: "2 Aug", "2 Aug 2025". */
export const formatDayOmittingYear = (date: string, today: string): string =>
  date.slice(0, 4) === today.slice(0, 4) ? dayOfYear.format(new Date(date)) : day.format(new Date(date))
