import { CHECKS } from './tax-check-digits.ts'

/** How tax numbers look, by country. A number that fails here cannot be right; one that passes may still not exist. */
const FORMATS: Record<string, RegExp> = {
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
const ANYWHERE = /^[A-Z0-9]{4,20}$/

/** Numbers are kept without the blanks, dots and dashes people write in them. */
export const normalTaxNumber = (number: string): string => number.toUpperCase().replaceAll(/[\s.\-/]/g, '')

export const fitsTaxFormat = (country: string, number: string): boolean => (FORMATS[country] ?? ANYWHERE).test(number)

/** The letters that the numbers of a country begin with, where they do. */
function prefixOf(country: string): string {
  const letters = { GR: 'EL', CH: 'CHE', JP: 'T' }[country] ?? country
  return FORMATS[country]?.source.startsWith(`^${letters}`) ? letters : ''
}

/**
 * What can be said of a tax id without asking anybody: `invalid` cannot be one, `format_ok` may be one, and never counts as valid. People
 * leave the country's letters out.
 */
export function checkTaxNumber(country: string, written: string): 'format_ok' | 'invalid' {
  if (!fitsTaxFormat(country, wholeNumber(country, written))) return 'invalid'
  const check = CHECKS[country]
  return !check || check(withoutCountry(country, written)) ? 'format_ok' : 'invalid'
}

/** Two letters at the beginning are somebody else's country. */
function wholeNumber(country: string, written: string): string {
  const number = normalTaxNumber(written)
  return fitsTaxFormat(country, number) || /^[A-Z]{2}/.test(number) ? number : prefixOf(country) + number
}

/** As its own country writes a number. */
export const withoutCountry = (country: string, written: string): string => wholeNumber(country, written).slice(prefixOf(country).length)
