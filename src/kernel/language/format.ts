import { memoize } from '../memoize.ts'
import { getCurrencyDecimals, type Money } from '../money.ts'
import { toDayInZone } from '../time.ts'

// Formatters are cached, because building one takes about a hundred times as long as using it.
// The cache of formatters is bounded, because language tags come from documents and headers.
const MAX_CACHED_FORMATTERS = 500

/** Our Portuguese texts are European, and `Intl` formats plain `pt` as in Brazil. */
const FORMATS_OF: Readonly<Record<string, string>> = { pt: 'pt-PT' }

function cached<Formatter extends object>(
  make: (locale: string, option: string) => Formatter,
): (locale: string, option?: string) => Formatter {
  const formatterOf = memoize(MAX_CACHED_FORMATTERS, (key) => {
    const [locale = '', option = ''] = key.split(' ')
    return make(FORMATS_OF[locale] ?? locale, option)
  })
  return (locale, option = '') => formatterOf(`${locale} ${option}`)
}

/**
 * Plain `en` names no region, and Intl would format its dates as in the United States. Dates of texts and pages are written day first, with
 * 24 hours, as in the console. A region that is named, such as `en-US`, keeps its own format.
 */
const forDates = (locale: string) => (locale === 'en' ? 'en-GB' : locale)

const numbers = cached((locale) => new Intl.NumberFormat(locale, { maximumFractionDigits: 20 }))
const amounts = cached((locale, currency) => {
  const digits = getCurrencyDecimals(currency)
  // Intl formats some currencies with a different number of decimals than invoices use.
  return new Intl.NumberFormat(locale, { style: 'currency', currency, minimumFractionDigits: digits, maximumFractionDigits: digits })
})
const days = cached((locale) => new Intl.DateTimeFormat(forDates(locale), { dateStyle: 'full', timeZone: 'UTC' }))
const shortDays = cached(
  (locale) => new Intl.DateTimeFormat(forDates(locale), { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' }),
)
const dateRanges = cached((locale) => new Intl.DateTimeFormat(forDates(locale), { dateStyle: 'long', timeZone: 'UTC' }))
const weekdayRanges = cached((locale) => {
  const [numeric, long] = ['numeric', 'long'] as const
  return new Intl.DateTimeFormat(forDates(locale), { weekday: long, day: numeric, month: long, year: numeric, timeZone: 'UTC' })
})
const zones = cached((locale, timeZone) => new Intl.DateTimeFormat(forDates(locale), { timeZone, timeZoneName: 'long' }))
const weekdays = cached((locale) => new Intl.DateTimeFormat(forDates(locale), { weekday: 'long', timeZone: 'UTC' }))
const datesOfYear = cached((locale) => new Intl.DateTimeFormat(forDates(locale), { day: 'numeric', month: 'long', timeZone: 'UTC' }))
const months = cached((locale) => new Intl.DateTimeFormat(forDates(locale), { month: 'short', timeZone: 'UTC' }))
const moments = cached((locale, timeZone) => {
  const [numeric, long] = ['numeric', 'long'] as const
  const day = { weekday: long, day: numeric, month: long, year: numeric }
  return new Intl.DateTimeFormat(forDates(locale), { ...day, hour: numeric, minute: '2-digit', timeZone, timeZoneName: 'short' })
})
const times = cached((locale, timeZone) => {
  // English times have two-digit hours. For other languages, Intl chooses between 9:00 and 09:00.
  const hour = locale === 'en' ? '2-digit' : 'numeric'
  return new Intl.DateTimeFormat(forDates(locale), { hour, minute: '2-digit', timeZone })
})
const lists = cached((locale) => new Intl.ListFormat(locale, { type: 'conjunction' }))

const languages = cached((locale) => new Intl.DisplayNames(locale, { type: 'language' }))
const regions = cached((locale) => new Intl.DisplayNames(locale, { type: 'region' }))
const collators = cached((locale) => new Intl.Collator(locale))

const plurals = cached((locale) => new Intl.PluralRules(locale))

export const formatNumber = (locale: string, value: number) => numbers(locale).format(value)

// Formats an amount from its string, because a number would lose the cents of very large amounts.
export const formatMoney = (locale: string, { amount, currency }: Money) => amounts(locale, currency).format(amount as `${number}`)

/** Returns the symbol of a currency as formatted amounts contain it, such as €. */
export const formatCurrencySymbol = (locale: string, currency: string) =>
  amounts(locale, currency)
    .formatToParts(0)
    .find(({ type }) => type === 'currency')?.value ?? currency

/** Formats a calendar day with its weekday, independent of time zones. */
export const formatDay = (locale: string, day: string) => days(locale).format(asUtc(day))

export const formatWeekday = (locale: string, day: string) => weekdays(locale).format(asUtc(day))

/** Formats a calendar day without its year. */
export const formatDayAndMonth = (locale: string, day: string) => datesOfYear(locale).format(asUtc(day))

/** The short name of the month of a calendar day. */
export const formatMonth = (locale: string, day: string) => months(locale).format(asUtc(day))

/** Formats a calendar day as short weekday and day without the year. */
export const formatShortDay = (locale: string, day: string) => shortDays(locale).format(asUtc(day))

/** A date range. Parts that both days share, such as the year, appear once. A single day is formatted as a date, which is much faster. */
export const formatDateRange = (locale: string, from: string, until: string) => {
  const dates = dateRanges(locale)
  const text = from === until ? dates.format(asUtc(from)) : dates.formatRange(asUtc(from), asUtc(until))
  // Italian date ranges have no leading zeros (1–3 marzo), but `Intl` formats 01–03 marzo.
  return text.replaceAll(/(?<!\d)0(?=\d)/g, '')
}

/** The calendar day of an instant in the given time zone, without the time. */
export function formatLocalDate(locale: string, instant: Date, zone: string): string {
  const day = toDayInZone(zone, instant)
  return formatDateRange(locale, day, day)
}

/** A date range with the weekdays of both days. */
export const formatWeekdayRange = (locale: string, from: string, until: string) =>
  weekdayRanges(locale).formatRange(asUtc(from), asUtc(until))

/** The name of a time zone on a calendar day, such as "Central European Summer Time". */
export const formatTimeZone = (locale: string, zone: string, day: string) =>
  zones(locale, zone)
    .formatToParts(asUtc(day))
    .find(({ type }) => type === 'timeZoneName')?.value ?? zone

/** An instant as local time in the given time zone, with the zone's name. */
export const formatInstantWithTimeZone = (locale: string, instant: Date, zone: string) => moments(locale, zone).format(instant)

/** The local time of day, without the date. */
export const formatTime = (locale: string, instant: Date, zone: string) => times(locale, zone).format(instant)

export const formatList = (locale: string, items: readonly string[]) => lists(locale).format(items)

/** The name of a country by its two-letter code; the text itself if it is no such code. */
export const formatCountryName = (locale: string, code: string) => (/^[A-Z]{2}$/.test(code) ? (regions(locale).of(code) ?? code) : code)

/** The name of a language by its tag; the text itself if it is no tag. */
export const formatLanguageName = (locale: string, tag: string) => (/^[a-z]{2,3}(-|$)/.test(tag) ? (languages(locale).of(tag) ?? tag) : tag)

/** Compares two texts as the alphabet of the language sorts them. */
export const compareTexts = (locale: string, a: string, b: string) => collators(locale).compare(a, b)

export const selectPluralForm = (locale: string, count: number) => plurals(locale).select(count)

const asUtc = (day: string) => new Date(`${day}T00:00:00Z`)
