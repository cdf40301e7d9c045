import { getAlpha2Codes } from 'i18n-iso-countries/index.js'

const byCode = ([a]: [string, string], [b]: [string, string]) => (a < b ? -1 : 1)

/** ISO 3166-1 alpha-2 codes mapped to alpha-3, plus the widely used XK for Kosovo. */
export const COUNTRIES: ReadonlyMap<string, string> = new Map(Object.entries(getAlpha2Codes()).toSorted(byCode))
