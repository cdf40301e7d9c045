/** English month names, because contracts are written in English regardless of the event's language. */
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

/** Formats a day for English contracts: 10 June 2027. */
export function formatEnglishDay(day: string): string {
  const [year, month, date] = day.split('-')
  return `${Number(date)} ${MONTH_NAMES[Number(month) - 1]} ${year}`
}
