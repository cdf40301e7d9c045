import type { SheetCell } from './cells.ts'

export type DecimalSeparator = '.' | ','

/** Matches a number with an optional currency symbol or code, and spaces or apostrophes between thousands. */
const WRITTEN_NUMBER =
  /^[\p{Sc}\s]*(?:[A-Z]{3}\s*)?([-+−]?)\s*[\p{Sc}\s]*([\d.,'’\s\u00a0\u202f]*\d[\d.,'’\s\u00a0\u202f]*?)\s*(?:\p{Sc}|[A-Z]{3})?\s*(-?)$/u

interface WrittenNumber {
  negative: boolean
  /** The digits, dots and commas of the number. */
  figures: string
}

function parseWrittenNumber(text: string): WrittenNumber | null {
  const trimmed = text.trim()
  const inBrackets = /^\((.*)\)$/.exec(trimmed)
  const match = trimmed.length > 60 ? null : WRITTEN_NUMBER.exec(inBrackets?.[1] ?? trimmed)
  if (!match) return null
  const [, sign = '', figures = '', after = ''] = match
  return {
    negative: (sign !== '' && sign !== '+') || after === '-' || inBrackets !== null,
    figures: figures.replace(/['’\s\u00a0\u202f]/g, ''),
  }
}

/** Finds the ISO currency code in an amount, if any. */
export const findCurrencyCode = (text: string): string | null => /(?:^|[\d\s])([A-Z]{3})(?:$|[\s\d+-])/.exec(text.trim())?.[1] ?? null

/**
 * Detects the decimal separator of a number from two different separators, a repeated separator, or one that cannot separate thousands.
 * `1,234` is ambiguous and returns `either`.
 */
export function detectDecimalSeparator(cell: SheetCell): DecimalSeparator | 'either' | null {
  const figures = typeof cell === 'string' ? parseWrittenNumber(cell)?.figures : undefined
  if (figures === undefined || !/[.,]/.test(figures)) return null
  const [dots, commas] = [figures.split('.').length - 1, figures.split(',').length - 1]
  if (dots > 0 && commas > 0) {
    const last = figures.lastIndexOf('.') > figures.lastIndexOf(',') ? '.' : ','
    return parseFigures(figures, last) === null ? null : last
  }
  const sign = dots > 0 ? '.' : ','
  const other = sign === '.' ? ',' : '.'
  if (Math.max(dots, commas) > 1) return parseFigures(figures, other) === null ? null : other
  const [before = '', after = ''] = figures.split(sign)
  return after.length === 3 && /^[1-9]\d{0,2}$/.test(before) ? 'either' : sign
}

/** Parses a number to decimal text with a dot, such as `-1234.50`; null if the cell is not a number with this decimal separator. */
export function parseDecimalCell(cell: SheetCell | undefined, separator: DecimalSeparator): string | null {
  if (typeof cell === 'number') return plainNumber(cell)
  const written = typeof cell === 'string' ? parseWrittenNumber(cell) : null
  const number = written && parseFigures(written.figures, separator)
  if (!written || number === null) return null
  return written.negative && /[1-9]/.test(number) ? `-${number}` : number
}

export const isNumericCell = (cell: SheetCell): boolean =>
  typeof cell === 'number' || parseDecimalCell(cell, '.') !== null || parseDecimalCell(cell, ',') !== null

function parseFigures(figures: string, separator: DecimalSeparator): string | null {
  const group = separator === '.' ? ',' : '.'
  const [whole = '', fraction, ...more] = figures.split(separator)
  if (more.length > 0 || fraction?.includes(group) || fraction === '') return null
  if (whole.includes(group) && !new RegExp(`^\\d{1,3}(\\${group}\\d{2,3})*\\${group}\\d{3}$`).test(whole)) return null
  const digits = whole.replaceAll(group, '').replace(/^0+(?=\d)/, '')
  if (!/^\d{1,15}$/.test(digits || '0') || (fraction !== undefined && !/^\d+$/.test(fraction))) return null
  return fraction === undefined ? digits || '0' : `${digits || '0'}.${fraction}`
}

/** Formats a number without an exponent. */
function plainNumber(number: number): string | null {
  if (!Number.isFinite(number) || Math.abs(number) >= 1e15) return null
  const text = String(number)
  return text.includes('e') ? number.toFixed(12).replace(/\.?0+$/, '') : text
}
