/** The date formats of all console pages. */
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })
const moment = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
})

/** A date range: "11–13 May 2027". */
export const formatDateRange = (from: string, until: string): string => day.formatRange(new Date(from), new Date(until))

/** "15 Nov 2026, 09:05". The page states the time zone once. */
export const formatTimestamp = (at: Date): string => moment.format(at)
