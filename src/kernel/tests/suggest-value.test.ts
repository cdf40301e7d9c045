import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  code,
  country,
  count,
  currency,
  day,
  email,
  flag,
  instant,
  list,
  locale,
  money,
  oneOf,
  text,
  timeOfDay,
  ianaTimeZone,
} from '../args.ts'
import { buildInputShapeFromSchema } from '../input-shape.ts'
import { parseNaturalLanguageDays, parseNaturalLanguageInstants } from '../natural-dates.ts'
import { suggestCorrectedValues } from '../suggest-value.ts'

/** A Tuesday. */
const TODAY = '2026-11-17'
const suggest = (schema: z.ZodType, value: unknown) => suggestCorrectedValues(buildInputShapeFromSchema(schema), value, TODAY)

describe('suggestCorrectedValues', () => {
  it.each([
    ['12 March 2027', ['2027-03-12']],
    ['March 12th, 2027', ['2027-03-12']],
    ['12.03.2027', ['2027-03-12']],
    ['12. März 2027', ['2027-03-12']],
    ['le 12 mars', []],
    ['12 mars 2027', ['2027-03-12']],
    ['2027/3/12', ['2027-03-12']],
    ['31/12/2027', ['2027-12-31']],
    ['03/12/2027', ['2027-12-03', '2027-03-12']],
    ['2027-02-30', ['2027-02-28']],
    ['2028-02-30', ['2028-02-29']],
    ['30.02.2027', []],
    ['today', ['2026-11-17']],
    ['tomorrow', ['2026-11-18']],
    ['next Friday', ['2026-11-20']],
    ['next Tuesday', ['2026-11-24']],
    ['last Friday', ['2026-11-13']],
    ['in 2 weeks', ['2026-12-01']],
    ['12 January', ['2027-01-12']],
    ['someday', []],
    ['', []],
  ])('suggests days for the text %j', (given, days) => {
    expect(suggest(day(), given)).toEqual(days)
  })

  it.each([
    ['2027-03-01', ['2027-03-01T00:00:00.000Z']],
    ['2027-03-01 09:00', ['2027-03-01T09:00:00.000Z']],
    ['1 March 2027 9:30 pm', ['2027-03-01T21:30:00.000Z']],
    ['tomorrow 9am', ['2026-11-18T09:00:00.000Z']],
    ['January', []],
  ])('suggests instants for the text %j', (given, instants) => {
    expect(suggest(instant(), given)).toEqual(instants)
  })

  it.each([
    ['€12.50', { amount: '12.50', currency: 'EUR' }],
    ['12,50 EUR', { amount: '12.50', currency: 'EUR' }],
    ['EUR 1.250,00', { amount: '1250.00', currency: 'EUR' }],
    ['$1,250', { amount: '1250.00', currency: 'USD' }],
    ['¥500', { amount: '500', currency: 'JPY' }],
  ])('suggests an amount with its currency for the text %j', (given, amount) => {
    expect(suggest(money(), given)).toEqual([amount])
  })

  it('suggests nothing for a text that is too long to be meant as one value or as a list of values', () => {
    const address = 'tom@agency.example'
    const [short, long] = [`Tom <${address}${' '.repeat(200)}.`, `Tom <${address}${' '.repeat(300)}.`]
    expect([suggest(email(), short), suggest(email(), long)]).toEqual([[address], []])
    const addresses = (count: number) => Array.from({ length: count }, () => address).join()
    expect(suggest(list(email()), addresses(200))).toEqual([Array.from({ length: 200 }, () => address)])
    expect(suggest(list(email()), addresses(300))).toEqual([])
  })

  it('suggests no amount for a text without a currency, because each event has its own currency', () => {
    expect(suggest(money(), '12.50')).toEqual([])
    expect(suggest(money(), 12.5)).toEqual([])
  })

  it.each([
    ['one value for a list', list(oneOf(['a', 'b'])), 'a', ['a']],
    ['several values in one text', list(text()), 'x, y', ['x', 'y']],
    ['an object for a list of objects', list(z.object({ a: z.string() })), { a: 'x' }, [{ a: 'x' }]],
  ])('suggests a list as corrected value for %s', (_, schema, given, expected) => {
    expect(suggest(schema, given)).toEqual([expected])
  })

  it.each([
    ['a number as text', count(), '10', 10],
    ['a number with a unit', count(), '60 words', 60],
    ['a number in words', count(), 'two', 2],
    ['a text as number', text(), 7, '7'],
    ['yes for true', flag(), 'yes', true],
    ['0 for false', flag(), 0, false],
    ['a choice in the wrong case', oneOf(['complete', 'incomplete']), 'COMPLETE', 'complete'],
    ['a misspelt choice', oneOf(['complete', 'cancelled']), 'canceled', 'cancelled'],
    ['another word for a choice', oneOf(['complete', 'incomplete']), 'registered', 'complete'],
    ['a time of day', timeOfDay(), '9am', '09:00'],
    ['midnight', timeOfDay(), '12 am', '00:00'],
    ['a name for a code', code(), 'Spring Meeting', 'spring-meeting'],
    ['a country by name', country(), 'Germany', 'DE'],
    ['a country in German', country(), 'Schweiz', 'CH'],
    ['a country by alpha-3 code', country(), 'FRA', 'FR'],
    ['a currency by name', currency(), 'Swiss francs', 'CHF'],
    ['a currency by symbol', currency(), '€', 'EUR'],
    ['a time zone by city', ianaTimeZone(), 'New York', 'America/New_York'],
    ['a language by name', locale(), 'german', 'de'],
    ['a language with underscore', locale(), 'pt_BR', 'pt-BR'],
    ['an email address with a name', email(), 'Tom <tom@agency.example', 'tom@agency.example'],
    ['the only item of a list', text(), ['x'], 'x'],
  ])('suggests a corrected value for %s', (_, schema, given, expected) => {
    expect(suggest(schema, given)[0]).toEqual(expected)
  })

  it.each([
    ['a text without a number', count(), 'many'],
    ['two items for one value', text(), ['x', 'y']],
    ['an unknown choice', oneOf(['a', 'b']), 'zebra'],
    ['an unknown country', country(), 'Atlantis'],
    ['null', text(), null],
  ])('suggests no corrected value for %s', (_, schema, given) => {
    expect(suggest(schema, given)).toEqual([])
  })
})

describe('parseNaturalLanguageDays', () => {
  it('suggests only days that exist in the calendar, also around the end of a year', () => {
    expect(parseNaturalLanguageDays('31 December', '2026-12-31')).toEqual(['2026-12-31'])
    expect(parseNaturalLanguageDays('in 1 day', '2026-12-31')).toEqual(['2027-01-01'])
    expect(parseNaturalLanguageDays('29 February 2027', TODAY)).toEqual([])
    expect(parseNaturalLanguageInstants('31.04.2027 10:00', TODAY)).toEqual([])
  })
})
