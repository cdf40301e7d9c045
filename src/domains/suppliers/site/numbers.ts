/** The maximum plausible area of a building. Larger numbers on a page are not areas. */
const MAX_AREA = 1_000_000
const SQM_PER_SQFT = 0.09290304

/** Parses a number as people write it: `1,200`, `1.200`, `1 200`, `510.5` and `510,5`. Null if the text contains no number. */
export function parseNumber(text: string): number | null {
  const [found] = /\d[\d.,\u00a0\u202f' ]*/.exec(text) ?? []
  if (found === undefined) return null
  const digits = found.replace(/[\u00a0\u202f' ]/g, '').replace(/[.,]+$/, '')
  const number = /^\d{1,3}(?:[.,]\d{3})+$/.test(digits)
    ? Number(digits.replace(/[.,]/g, ''))
    : Number(digits.replace(/[.,](?=.*[.,])/g, '').replace(',', '.'))
  return Number.isFinite(number) ? number : null
}

export const mentionsSquareFeet = (text: string): boolean => /sq\.?\s*(?:ft|feet)|square\s*f(?:ee|oo)t|ft²|ft2|\bsf\b/i.test(text)
export const mentionsSquareMeters = (text: string): boolean => /m²|m2|\bsq\.?\s*m|sqm|\bqm\b|square\s*met/i.test(text)

/** Parses an area in square metres, with one decimal. `unit` is a text that names the unit if the value does not. */
export function parseArea(text: string, unit = ''): number | null {
  const value = parseNumber(text)
  if (value === null || value <= 0 || value > MAX_AREA) return null
  const inFeet = mentionsSquareFeet(text) || (!mentionsSquareMeters(text) && mentionsSquareFeet(unit))
  return Math.round((inFeet ? value * SQM_PER_SQFT : value) * 10) / 10
}
