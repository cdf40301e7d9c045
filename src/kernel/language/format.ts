import { digitsOf, type Money } from '../money.ts'

// Building a formatter costs a hundred times its use. Tags come from documents and headers, so their number is bounded here.
const MAX_KEPT = 500

function kept<Formatter>(make: (locale: string, option: string) => Formatter): (locale: string, option?: string) => Formatter {
  const known = new Map<string, Formatter>()
  return (locale, option = '') => {
    const key = `${locale} ${option}`
    let formatter = known.get(key)
    if (!formatter) {
      if (known.size >= MAX_KEPT) known.clear()
      formatter = make(locale, option)
      known.set(key, formatter)
    }
    return formatter
  }
}

const numbers = kept((locale) => new Intl.NumberFormat(locale, { maximumFractionDigits: 20 }))
const amounts = kept((locale, currency) => {
  const digits = digitsOf(currency)
  // Intl has other decimals for some currencies than invoices have.
  return new Intl.NumberFormat(locale, { style: 'currency', currency, minimumFractionDigits: digits, maximumFractionDigits: digits })
})
const days = kept((locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeZone: 'UTC' }))
const shortDays = kept((locale) => new Intl.DateTimeFormat(locale, { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' }))
const spans = kept((locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }))
const weekdays = kept((locale) => new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' }))
const datesOfYear = kept((locale) => new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long', timeZone: 'UTC' }))
const moments = kept((locale, timeZone) => {
  const [numeric, long] = ['numeric', 'long'] as const
  const day = { weekday: long, day: numeric, month: long, year: numeric }
  return new Intl.DateTimeFormat(locale, { ...day, hour: numeric, minute: '2-digit', timeZone, timeZoneName: 'short' })
})
const times = kept((locale, timeZone) => new Intl.DateTimeFormat(locale, { hour: 'numeric', minute: '2-digit', timeZone }))
const lists = kept((locale) => new Intl.ListFormat(locale, { type: 'conjunction' }))

const plurals = kept((locale) => new Intl.PluralRules(locale))

export const formatNumber = (locale: string, value: number) => numbers(locale).format(value)

// As text, because a number would lose cents of very large amounts.
export const formatMoney = (locale: string, { amount, currency }: Money) => amounts(locale, currency).format(amount as `${number}`)

/** A day with its weekday; it has no zone. */
export const formatDay = (locale: string, day: string) => days(locale).format(asUtc(day))

export const formatWeekday = (locale: string, day: string) => weekdays(locale).format(asUtc(day))

/** Of a year that is clear without saying it. */
export const formatDayAndMonth = (locale: string, day: string) => datesOfYear(locale).format(asUtc(day))

/** The same where the year is clear without saying it. */
export const formatShortDay = (locale: string, day: string) => shortDays(locale).format(asUtc(day))

/** From one day to another, saying what both have in common once. */
export const formatDays = (locale: string, from: string, until: string) => spans(locale).formatRange(asUtc(from), asUtc(until))

/** A moment as the clocks at the event show it, with the name of their zone. */
export const formatMoment = (locale: string, instant: Date, zone: string) => moments(locale, zone).format(instant)

/** The time of a day that is clear without saying it. */
export const formatTime = (locale: string, instant: Date, zone: string) => times(locale, zone).format(instant)

export const formatList = (locale: string, items: readonly string[]) => lists(locale).format(items)

export const pluralOf = (locale: string, count: number) => plurals(locale).select(count)

const asUtc = (day: string) => new Date(`${day}T00:00:00Z`)
