import type { Cell } from './cells.ts'

export type DecimalSeparator = '.' | ','

/** What a number is written with besides its figures: currencies by sign or code, blanks and apostrophes between thousands. */
const BARE =
  /^[\p{Sc}\s]*(?:[A-Z]{3}\s*)?([-+−]?)\s*[\p{Sc}\s]*([\d.,'’\s\u00a0\u202f]*\d[\d.,'’\s\u00a0\u202f]*?)\s*(?:\p{Sc}|[A-Z]{3})?\s*(-?)$/u

interface Written {
  negative: boolean
  /** Figures, dots and commas. */
  figures: string
}

function writtenNumber(text: string): Written | null {
  const trimmed = text.trim()
  const inBrackets = /^\((.*)\)$/.exec(trimmed)
  const match = trimmed.length > 60 ? null : BARE.exec(inBrackets?.[1] ?? trimmed)
  if (!match) return null
  const [, sign = '', figures = '', after = ''] = match
  return {
    negative: (sign !== '' && sign !== '+') || after === '-' || inBrackets !== null,
    figures: figures.replace(/['’\s\u00a0\u202f]/g, ''),
  }
}

/** The currency that an amount names itself, if it names one by its code. */
export const currencyIn = (text: string): string | null => /(?:^|[\d\s])([A-Z]{3})(?:$|[\s\d+-])/.exec(text.trim())?.[1] ?? null

/**
 * What a number says about how decimals are written in its column: both signs in one number, a sign twice, or one that thousands could not
 * stand behind. `1,234` may be either, and says so.
 */
export function decimalHint(cell: Cell): DecimalSeparator | 'either' | null {
  const figures = typeof cell === 'string' ? writtenNumber(cell)?.figures : undefined
  if (figures === undefined || !/[.,]/.test(figures)) return null
  const [dots, commas] = [figures.split('.').length - 1, figures.split(',').length - 1]
  if (dots > 0 && commas > 0) {
    const last = figures.lastIndexOf('.') > figures.lastIndexOf(',') ? '.' : ','
    return parsed(figures, last) === null ? null : last
  }
  const sign = dots > 0 ? '.' : ','
  const other = sign === '.' ? ',' : '.'
  if (Math.max(dots, commas) > 1) return parsed(figures, other) === null ? null : other
  const [before = '', after = ''] = figures.split(sign)
  return after.length === 3 && /^[1-9]\d{0,2}$/.test(before) ? 'either' : sign
}

/** As a decimal text with a dot, such as `-1234.50`; null for what is no number when decimals are written so. */
export function decimalOf(cell: Cell | undefined, separator: DecimalSeparator): string | null {
  if (typeof cell === 'number') return plainNumber(cell)
  const written = typeof cell === 'string' ? writtenNumber(cell) : null
  const number = written && parsed(written.figures, separator)
  if (!written || number === null) return null
  return written.negative && /[1-9]/.test(number) ? `-${number}` : number
}

export const isNumeric = (cell: Cell): boolean => typeof cell === 'number' || decimalOf(cell, '.') !== null || decimalOf(cell, ',') !== null

function parsed(figures: string, separator: DecimalSeparator): string | null {
  const group = separator === '.' ? ',' : '.'
  const [whole = '', fraction, ...more] = figures.split(separator)
  if (more.length > 0 || fraction?.includes(group) || fraction === '') return null
  if (whole.includes(group) && !new RegExp(`^\\d{1,3}(\\${group}\\d{2,3})*\\${group}\\d{3}$`).test(whole)) return null
  const digits = whole.replaceAll(group, '').replace(/^0+(?=\d)/, '')
  if (!/^\d{1,15}$/.test(digits || '0') || (fraction !== undefined && !/^\d+$/.test(fraction))) return null
  return fraction === undefined ? digits || '0' : `${digits || '0'}.${fraction}`
}

/** Without an exponent, which decimals here never have. */
function plainNumber(number: number): string | null {
  if (!Number.isFinite(number) || Math.abs(number) >= 1e15) return null
  const text = String(number)
  return text.includes('e') ? number.toFixed(12).replace(/\.?0+$/, '') : text
}
