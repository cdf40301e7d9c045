import { describe, expect, it } from 'vitest'
import { checkTaxNumber } from '../tax-numbers.ts'

/** Real tax numbers, published by their owners or by authorities. */
const REAL: readonly (readonly [country: string, number: string])[] = [
  ['AT', 'ATU13585627'],
  ['AU', '51 824 753 556'],
  ['BE', 'BE0428759497'],
  ['CH', 'CHE-107.787.577 MWST'],
  ['CY', 'CY10259033P'],
  ['CZ', 'CZ25123891'],
  ['DE', 'DE136695976'],
  ['DK', 'DK13585628'],
  ['EE', 'EE100931558'],
  ['ES', 'ESA13585625'],
  ['ES', 'ES54362315K'],
  ['FI', 'FI20774740'],
  ['FR', 'FR40303265045'],
  ['GB', 'GB980780684'],
  ['GR', 'EL094259216'],
  ['HR', 'HR33392005961'],
  ['HU', 'HU12892312'],
  ['IE', 'IE6433435F'],
  ['IE', 'IE6433435OA'],
  ['IE', 'IE8D79739I'],
  ['IN', '27AAPFU0939F1ZV'],
  ['IT', 'IT00743110157'],
  ['JP', 'T7000012050002'],
  ['LT', 'LT119511515'],
  ['LT', 'LT100001919017'],
  ['LU', 'LU15027442'],
  ['LV', 'LV40003521600'],
  ['MT', 'MT11679112'],
  ['NL', 'NL010000446B01'],
  ['NO', '974 760 673 MVA'],
  ['PL', 'PL8567346215'],
  ['PT', 'PT501964843'],
  ['RO', 'RO18547290'],
  ['SE', 'SE556188840401'],
  ['SI', 'SI50223054'],
  ['SK', 'SK2022749619'],
]

/** Increments one digit: every check must detect a single wrong digit. */
function withWrongDigit(number: string): string {
  const at = number.search(/\d(?=\D*\d)/)
  return number.slice(0, at) + String((Number(number[at]) + 1) % 10) + number.slice(at + 1)
}

describe('checkTaxNumber', () => {
  it.each(REAL)('accepts a correct tax number of %s: %s', (country, number) => {
    expect(checkTaxNumber(country, number)).toBe('format_ok')
  })

  it.each(REAL)('rejects a tax number of %s with one wrong digit: %s', (country, number) => {
    expect(checkTaxNumber(country, withWrongDigit(number))).toBe('invalid')
  })

  it('accepts tax numbers without country letters and with blanks, dots and dashes', () => {
    expect(checkTaxNumber('DE', '136 695 976')).toBe('format_ok')
    expect(checkTaxNumber('GR', '094259216')).toBe('format_ok')
    expect(checkTaxNumber('BE', 'be 0428.759.497')).toBe('format_ok')
    expect(checkTaxNumber('FR', 'DE136695976')).toBe('invalid')
  })

  it('checks only length and characters of tax numbers from countries without a check digit rule', () => {
    expect(checkTaxNumber('AE', '100123456700003')).toBe('format_ok')
    expect(checkTaxNumber('AE', '100!')).toBe('invalid')
    expect(checkTaxNumber('NL', 'NL002455799B11')).toBe('format_ok')
  })
})
