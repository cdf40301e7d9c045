/** Contracts are written in English, whatever the language of the event is. */
export const MONTH_NAMES = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const

/** A day as English contracts write it: 10 June 2027. */
export function formatDay(day: string): string {
  const [year, month, date] = day.split('-')
  return `${Number(date)} ${MONTH_NAMES[Number(month) - 1]} ${year}`
}
