/** The one form in which pages of the console tell days and moments. */
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })
const moment = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
})

/** Two days as people write them together: 11–13 May 2027. */
export const daysInWords = (from: string, until: string): string => day.formatRange(new Date(from), new Date(until))

/** 15 Nov 2026, 09:05. The zone is said once on the page. */
export const momentInWords = (at: Date): string => moment.format(at)
