/** The version of the sub-regions. Increase it when a country moves to another sub-region. */
export const SUB_REGIONS_VERSION = 1

/**
 * The sub-regions of the United Nations (standard M49) with their countries as ISO 3166-1 alpha-2 codes. Taiwan and Kosovo, which M49 does
 * not list, are in the sub-region around them. Antarctica belongs to none.
 */
export const SUB_REGIONS: Readonly<Record<string, string>> = {
  'Northern Africa': 'DZ EG EH LY MA SD TN',
  'Sub-Saharan Africa':
    'AO BF BI BJ BW CD CF CG CI CM CV DJ ER ET GA GH GM GN GQ GW IO KE KM LR LS MG ML MR MU MW MZ NA NE NG RE RW SC SH SL SN SO SS ST SZ TD TF TG TZ UG YT ZA ZM ZW',
  'Latin America and the Caribbean':
    'AG AI AR AW BB BL BO BQ BR BS BV BZ CL CO CR CU CW DM DO EC FK GD GF GP GS GT GY HN HT JM KN KY LC MF MQ MS MX NI PA PE PR PY SR SV SX TC TT UY VC VE VG VI',
  'Northern America': 'BM CA GL PM US',
  'Central Asia': 'KG KZ TJ TM UZ',
  'Eastern Asia': 'CN HK JP KP KR MN MO TW',
  'South-eastern Asia': 'BN ID KH LA MM MY PH SG TH TL VN',
  'Southern Asia': 'AF BD BT IN IR LK MV NP PK',
  'Western Asia': 'AE AM AZ BH CY GE IL IQ JO KW LB OM PS QA SA SY TR YE',
  'Eastern Europe': 'BG BY CZ HU MD PL RO RU SK UA',
  'Northern Europe': 'AX DK EE FI FO GB GG IE IM IS JE LT LV NO SE SJ',
  'Southern Europe': 'AD AL BA ES GI GR HR IT ME MK MT PT RS SI SM VA XK',
  'Western Europe': 'AT BE CH DE FR LI LU MC NL',
  'Australia and New Zealand': 'AU CC CX HM NF NZ',
  Melanesia: 'FJ NC PG SB VU',
  Micronesia: 'FM GU KI MH MP NR PW UM',
  Polynesia: 'AS CK NU PF PN TK TO TV WF WS',
}

/** Lists the countries in the same sub-region as a country, including the country itself. */
export function listCountriesOfSubRegion(country: string): string[] {
  for (const countries of Object.values(SUB_REGIONS)) {
    const codes = countries.split(' ')
    if (codes.includes(country)) return codes
  }
  return [country]
}
