import type { LocaleData } from 'i18n-iso-countries/index.js'
import de from 'i18n-iso-countries/langs/de.json' with { type: 'json' }
import en from 'i18n-iso-countries/langs/en.json' with { type: 'json' }
import es from 'i18n-iso-countries/langs/es.json' with { type: 'json' }
import fr from 'i18n-iso-countries/langs/fr.json' with { type: 'json' }
import it from 'i18n-iso-countries/langs/it.json' with { type: 'json' }
import nl from 'i18n-iso-countries/langs/nl.json' with { type: 'json' }
import pl from 'i18n-iso-countries/langs/pl.json' with { type: 'json' }
import pt from 'i18n-iso-countries/langs/pt.json' with { type: 'json' }
import { foldText } from '../../../kernel/conditions.ts'
import { COUNTRIES } from '../../../kernel/countries.ts'

const LANGUAGES: readonly LocaleData[] = [en, de, fr, es, it, nl, pt, pl]

/** As people and directories write them, beside the names that the standard and Intl have. */
const ALSO: Readonly<Record<string, string>> = {
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
  // With what kind of state it is, as lists of countries often have it.
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

/** The alpha-2 code of a country given by its name or by either code; null when it is none. */
export function countryCodeOf(text: string): string | null {
  names ??= nameIndex()
  return names.get(keyOf(text)) ?? null
}

function nameIndex(): Map<string, string> {
  const index = new Map<string, string>()
  for (const { countries } of LANGUAGES)
    for (const [alpha2, given] of Object.entries(countries)) for (const name of [given].flat()) index.set(keyOf(name), alpha2)
  // Where a name is in use for two, such as Congo, Intl says for which it stands alone.
  for (const { locale } of LANGUAGES) {
    const regions = new Intl.DisplayNames(locale, { type: 'region', fallback: 'none' })
    for (const alpha2 of COUNTRIES.keys()) index.set(keyOf(regions.of(alpha2) ?? alpha2), alpha2)
  }
  for (const [name, code] of Object.entries(ALSO)) index.set(keyOf(name), code)
  // Codes come last: no name of a country may stand for another one's code.
  for (const [alpha2, alpha3] of COUNTRIES) index.set(keyOf(alpha2), alpha2).set(keyOf(alpha3), alpha2)
  return index
}

/** Case, accents, dots and blanks do not make another country. */
const keyOf = (text: string) =>
  foldText(text).normalize('NFD').replace(/\p{M}/gu, '').replace(/&/g, 'and').replace(/[.’']/g, '').replace(/\s+/g, ' ').trim()
