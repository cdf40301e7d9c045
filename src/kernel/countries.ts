import { getAlpha2Codes } from 'i18n-iso-countries/index.js'

const byCode = ([a]: [string, string], [b]: [string, string]) => (a < b ? -1 : 1)

/** ISO 3166-1, with XK for Kosovo, which everybody uses: three letters by two. */
export const COUNTRIES: ReadonlyMap<string, string> = new Map(Object.entries(getAlpha2Codes()).toSorted(byCode))
