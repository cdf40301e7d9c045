import type { LocaleData } from 'i18n-iso-countries/index.js'
import de from 'i18n-iso-countries/langs/de.json' with { type: 'json' }
import en from 'i18n-iso-countries/langs/en.json' with { type: 'json' }
import es from 'i18n-iso-countries/langs/es.json' with { type: 'json' }
import fr from 'i18n-iso-countries/langs/fr.json' with { type: 'json' }
import it from 'i18n-iso-countries/langs/it.json' with { type: 'json' }
import nl from 'i18n-iso-countries/langs/nl.json' with { type: 'json' }
import pl from 'i18n-iso-countries/langs/pl.json' with { type: 'json' }
import pt from 'i18n-iso-countries/langs/pt.json' with { type: 'json' }
import { normalizeTextForComparison } from './conditions.ts'
import { COUNTRIES } from './countries.ts'

const LANGUAGES: readonly LocaleData[] = [en, de, fr, es, it, nl, pt, pl]

/** Common country names that are in neither ISO 3166 nor Intl. */
const EXTRA_COUNTRY_NAMES: Readonly<Record<string, string>> = {
  england: 'GB',
  scotland: 'GB',
  wales: 'GB',
  'northern ireland': 'GB',
  america: 'US',
  holland: 'NL',
  burma: 'MM',
  macedonia: 'MK',
  'republic of ireland': 'IE',
  'ireland, republic of': 'IE',
  brd: 'DE',
  xkx: 'XK',
  // Country names that include the form of government, as the ISO list writes them.
  'bolivia, plurinational state of': 'BO',
  'congo, democratic republic of the': 'CD',
  'congo, the democratic republic of the': 'CD',
  'iran, islamic republic of': 'IR',
  "korea, democratic people's republic of": 'KP',
  'macedonia, the former yugoslav republic of': 'MK',
  'palestine, state of': 'PS',
  'tanzania, united republic of': 'TZ',
  'venezuela, bolivarian republic of': 'VE',
}

let names: Map<string, string> | undefined

/** The alpha-2 code for a country name in one of the languages, an alpha-2 or an alpha-3 code, in any case; null if unknown. */
export function findCountryCode(text: string): string | null {
  names ??= buildNameIndex()
  return names.get(normalizeName(text)) ?? null
}

function buildNameIndex(): Map<string, string> {
  const index = new Map<string, string>()
  for (const { countries } of LANGUAGES)
    for (const [alpha2, given] of Object.entries(countries)) for (const name of [given].flat()) index.set(normalizeName(name), alpha2)
  // Where two countries share a short name in a language, such as Congo, Intl decides which one the name means.
  for (const { locale } of LANGUAGES) {
    const regions = new Intl.DisplayNames(locale, { type: 'region', fallback: 'none' })
    for (const alpha2 of COUNTRIES.keys()) index.set(normalizeName(regions.of(alpha2) ?? alpha2), alpha2)
  }
  for (const [name, code] of Object.entries(EXTRA_COUNTRY_NAMES)) index.set(normalizeName(name), code)
  // Codes are added last, so that a country name that equals the code of another country does not replace it.
  for (const [alpha2, alpha3] of COUNTRIES) index.set(normalizeName(alpha2), alpha2).set(normalizeName(alpha3), alpha2)
  return index
}

/** Normalizes case, accents, punctuation and spaces. */
const normalizeName = (text: string) =>
  normalizeTextForComparison(text)
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/&/g, 'and')
    .replace(/[.’']/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
