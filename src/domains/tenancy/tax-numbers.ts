import { CHECK_DIGIT_RULES } from './tax-check-digits.ts'

/** Formats of tax numbers by country. A number with a matching format may still not exist. */
const TAX_NUMBER_FORMATS: Record<string, RegExp> = {
  AT: /^ATU\d{8}$/,
  AU: /^\d{11}$/,
  BE: /^BE[01]\d{9}$/,
  BG: /^BG\d{9,10}$/,
  BR: /^\d{14}$/,
  CA: /^\d{9}(RT\d{4})?$/,
  CH: /^CHE\d{9}(MWST|TVA|IVA)?$/,
  CY: /^CY\d{8}[A-Z]$/,
  CZ: /^CZ\d{8,10}$/,
  DE: /^DE\d{9}$/,
  DK: /^DK\d{8}$/,
  EE: /^EE\d{9}$/,
  ES: /^ES[A-Z0-9]\d{7}[A-Z0-9]$/,
  FI: /^FI\d{8}$/,
  FR: /^FR[A-HJ-NP-Z0-9]{2}\d{9}$/,
  GB: /^GB(\d{9}|\d{12}|GD\d{3}|HA\d{3})$/,
  GR: /^EL\d{9}$/,
  HR: /^HR\d{11}$/,
  HU: /^HU\d{8}$/,
  IE: /^IE(\d{7}[A-Z]{1,2}|\d[A-Z+*]\d{5}[A-Z])$/,
  IN: /^\d{2}[A-Z]{5}\d{4}[A-Z][0-9A-Z]Z[0-9A-Z]$/,
  IT: /^IT\d{11}$/,
  JP: /^T\d{13}$/,
  LT: /^LT(\d{9}|\d{12})$/,
  LU: /^LU\d{8}$/,
  LV: /^LV\d{11}$/,
  MT: /^MT\d{8}$/,
  NL: /^NL\d{9}B\d{2}$/,
  NO: /^\d{9}(MVA)?$/,
  NZ: /^\d{8,9}$/,
  PL: /^PL\d{10}$/,
  PT: /^PT\d{9}$/,
  RO: /^RO\d{2,10}$/,
  SE: /^SE\d{12}$/,
  SG: /^[A-Z0-9]{9,10}$/,
  SI: /^SI\d{8}$/,
  SK: /^SK\d{10}$/,
  US: /^\d{9}$/,
  ZA: /^4\d{9}$/,
}
const DEFAULT_FORMAT = /^[A-Z0-9]{4,20}$/

/** Removes spaces, dots and dashes from a tax number. */
export const normalizeTaxNumber = (number: string): string => number.toUpperCase().replaceAll(/[\s.\-/]/g, '')

export const hasTaxNumberFormat = (country: string, number: string): boolean => (TAX_NUMBER_FORMATS[country] ?? DEFAULT_FORMAT).test(number)

/** Returns the letters that tax numbers of a country begin with, if any. */
function countryPrefix(country: string): string {
  const letters = { GR: 'EL', CH: 'CHE', JP: 'T' }[country] ?? country
  return TAX_NUMBER_FORMATS[country]?.source.startsWith(`^${letters}`) ? letters : ''
}

/**
 * Checks a tax number without querying a tax office. The result `format_ok` does not mean that the number is registered. The country
 * letters are optional.
 */
export function checkTaxNumber(country: string, written: string): 'format_ok' | 'invalid' {
  if (!hasTaxNumberFormat(country, withCountryPrefix(country, written))) return 'invalid'
  const check = CHECK_DIGIT_RULES[country]
  return !check || check(removeCountryPrefix(country, written)) ? 'format_ok' : 'invalid'
}

/**
 * Adds the country letters to a tax number if they are missing. A number that begins with two other letters belongs to another country, so
 * no prefix is added.
 */
function withCountryPrefix(country: string, written: string): string {
  const number = normalizeTaxNumber(written)
  return hasTaxNumberFormat(country, number) || /^[A-Z]{2}/.test(number) ? number : countryPrefix(country) + number
}

/** Removes the country prefix from a tax number. */
export const removeCountryPrefix = (country: string, written: string): string =>
  withCountryPrefix(country, written).slice(countryPrefix(country).length)
