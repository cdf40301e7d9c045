/** Provinces as people write them where they were asked for a region. */
const PROVINCES: Record<string, string> = {
  alberta: 'AB',
  'british columbia': 'BC',
  'colombie-britannique': 'BC',
  manitoba: 'MB',
  'new brunswick': 'NB',
  'nouveau-brunswick': 'NB',
  'newfoundland and labrador': 'NL',
  'terre-neuve-et-labrador': 'NL',
  'nova scotia': 'NS',
  'nouvelle-ecosse': 'NS',
  'northwest territories': 'NT',
  'territoires du nord-ouest': 'NT',
  nunavut: 'NU',
  ontario: 'ON',
  'prince edward island': 'PE',
  'ile-du-prince-edouard': 'PE',
  quebec: 'QC',
  saskatchewan: 'SK',
  yukon: 'YT',
}

/** The ISO 3166-2 code of a region without its country, from `NS`, `CA-NS` or `Nova Scotia`; null for what names none. */
export function regionCode(country: string | null, written: string | null | undefined): string | null {
  if (!country || !written) return null
  const text = written.trim().normalize('NFD').replaceAll(/\p{M}/gu, '')
  const code = text.toUpperCase().replace(new RegExp(`^${country}-`), '')
  if (/^[A-Z0-9]{1,3}$/.test(code)) return code
  return country === 'CA' ? (PROVINCES[text.toLowerCase()] ?? null) : null
}

export const countryCode = (written: string | null | undefined): string | null =>
  written && /^[A-Z]{2}$/.test(written.trim().toUpperCase()) ? written.trim().toUpperCase() : null

export interface TaxedPlace {
  country: string
  region: string | null
}

/** `FR`, `CA-NS`. */
export const placeName = ({ country, region }: TaxedPlace): string => (region === null ? country : `${country}-${region}`)
