import { expect, it } from 'vitest'
import {
  compareTexts,
  formatCountryName,
  formatDay,
  formatDateRange,
  formatList,
  formatInstantWithTimeZone,
  formatMoney,
  formatNumber,
  formatTime,
  formatWeekdayRange,
  formatTimeZone,
} from '../format.ts'

const plain = (text: string) => text.replace(/[\u00a0\u202f\u2009]/g, ' ')

it.each([
  ['en', { amount: '1499.90', currency: 'EUR' }, '€1,499.90'],
  ['de', { amount: '1499.90', currency: 'EUR' }, '1.499,90 €'],
  ['fr', { amount: '1499.90', currency: 'EUR' }, '1 499,90 €'],
  ['es', { amount: '21499.90', currency: 'EUR' }, '21.499,90 €'],
  ['it', { amount: '21499.90', currency: 'EUR' }, '21.499,90 €'],
  ['nl', { amount: '1499.90', currency: 'EUR' }, '€ 1.499,90'],
  // Plain `pt` is formatted as in Portugal, because the texts are European Portuguese.
  ['pt', { amount: '21499.90', currency: 'EUR' }, '21 499,90 €'],
  ['pt-BR', { amount: '21499.90', currency: 'BRL' }, 'R$ 21.499,90'],
  ['de-CH', { amount: '900.00', currency: 'CHF' }, 'CHF 900.00'],
  ['en', { amount: '1200', currency: 'JPY' }, '¥1,200'],
  ['en', { amount: '12.345', currency: 'KWD' }, 'KWD 12.345'],
  // Intl alone would round to whole forints.
  ['en', { amount: '100.50', currency: 'HUF' }, 'HUF 100.50'],
  ['en', { amount: '90071992547409.93', currency: 'EUR' }, '€90,071,992,547,409.93'],
  ['en', { amount: '-5.00', currency: 'USD' }, '-$5.00'],
])('formatMoney in %s formats %j as %s', (locale, money, text) => {
  expect(plain(formatMoney(locale, money))).toBe(text)
})

it('formats numbers, days, times and lists for the locale', () => {
  expect([formatNumber('en', 1234.5), formatNumber('de', 1234.5)]).toEqual(['1,234.5', '1.234,5'])
  expect([formatDay('en', '2027-03-01'), formatDay('de', '2027-03-01')]).toEqual(['Monday, 1 March 2027', 'Montag, 1. März 2027'])
  expect(plain(formatDateRange('de', '2027-03-01', '2027-03-03'))).toBe('1.–3. März 2027')
  expect(plain(formatDateRange('it', '2027-03-01', '2027-03-03'))).toBe('1–3 marzo 2027')
  expect(plain(formatDateRange('fr', '2027-10-09', '2027-10-20'))).toBe('9–20 octobre 2027')
  expect(plain(formatDateRange('en', '2027-03-01', '2027-03-01'))).toBe('1 March 2027')
  expect(plain(formatWeekdayRange('de', '2027-03-01', '2027-03-03'))).toBe('Montag, 1. – Mittwoch, 3. März 2027')
  expect(plain(formatWeekdayRange('en', '2027-03-01', '2027-03-01'))).toBe('Monday, 1 March 2027')
  expect([formatTimeZone('en', 'Europe/Vienna', '2027-07-01'), formatTimeZone('de', 'Europe/Vienna', '2027-01-01')]).toEqual([
    'Central European Summer Time',
    'Mitteleuropäische Normalzeit',
  ])
  const at = new Date('2027-03-01T23:30:00Z')
  expect(plain(formatInstantWithTimeZone('de', at, 'Europe/Berlin'))).toBe('Dienstag, 2. März 2027 um 00:30 MEZ')
  expect(plain(formatInstantWithTimeZone('en', at, 'America/New_York'))).toBe('Monday, 1 March 2027 at 18:30 GMT-5')
  expect(formatList('de', ['A', 'B', 'C'])).toBe('A, B und C')
})

it('names and sorts countries in the language of the locale', () => {
  expect(['de', 'fr', 'pt', 'pt-BR'].map((locale) => formatCountryName(locale, 'PL'))).toEqual(['Polen', 'Pologne', 'Polónia', 'Polônia'])
  expect([formatCountryName('en', 'Austria'), formatCountryName('en', 'XX')]).toEqual(['Austria', 'XX'])
  expect(['Österreich', 'Zypern', 'Polen'].toSorted((a, b) => compareTexts('de', a, b))).toEqual(['Österreich', 'Polen', 'Zypern'])
})

it('writes English dates day first with 24 hours unless the locale names a region', () => {
  const at = new Date('2027-03-01T23:30:00Z')
  expect(plain(formatDateRange('en', '2027-05-11', '2027-05-13'))).toMatch(/^11 ?– ?13 May 2027$/)
  expect([formatTime('en', at, 'UTC'), formatTime('en-GB', at, 'UTC')]).toEqual(['23:30', '23:30'])
  expect(formatTime('en', new Date('2027-03-01T09:05:00Z'), 'UTC')).toBe('09:05')
  expect(plain(formatTime('en-US', at, 'UTC'))).toBe('11:30 PM')
  expect(formatDay('en-US', '2027-03-01')).toBe('Monday, March 1, 2027')
})
