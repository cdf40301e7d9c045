/** Names of Canadian provinces as users write them. */
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

/** Returns the ISO 3166-2 code without country, from `NS`, `CA-NS` or `Nova Scotia`; null if unknown. */
export function toRegionCode(country: string | null, written: string | null | undefined): string | null {
  if (!country || !written) return null
  const text = written.trim().normalize('NFD').replaceAll(/\p{M}/gu, '')
  const code = text.toUpperCase().replace(new RegExp(`^${country}-`), '')
  if (/^[A-Z0-9]{1,3}$/.test(code)) return code
  return country === 'CA' ? (PROVINCES[text.toLowerCase()] ?? null) : null
}

export const toTaxCountryCode = (written: string | null | undefined): string | null =>
  written && /^[A-Z]{2}$/.test(written.trim().toUpperCase()) ? written.trim().toUpperCase() : null

export interface TaxJurisdiction {
  country: string
  region: string | null
}

/** Formats a country, or a province of a country, as a code such as `FR` or `CA-NS`. */
export const formatTaxJurisdiction = ({ country, region }: TaxJurisdiction): string => (region === null ? country : `${country}-${region}`)
