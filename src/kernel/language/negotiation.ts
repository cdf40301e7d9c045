import { memoize } from '../memoize.ts'

/** Maximum length of an `Accept-Language` header. Longer headers are cut off; browsers never send more. */
const MAX_HEADER_LENGTH = 1000
const MAX_RANGES = 30
/** Parsing a language tag takes long, and every page asks for the same tags. */
const MAX_CACHED_TAGS = 1000

/** The tags of an `Accept-Language` header, most preferred first. Leaves out rejected (`q=0`), malformed and wildcard (`*`) entries. */
export function readAcceptLanguage(header: string | undefined): string[] {
  const ranges = (header ?? '').slice(0, MAX_HEADER_LENGTH).split(',').slice(0, MAX_RANGES)
  return ranges
    .flatMap((range) => {
      const match = /^\s*([A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*)\s*(?:;\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i.exec(range)
      const quality = match ? Number(match[2] ?? 1) : 0
      return quality > 0 ? [{ tag: match![1]!, quality }] : []
    })
    .sort((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag)
}

/**
 * The best offered language for the reader, or null. Tries for each wanted tag: an exact match, shorter forms of the tag, then another
 * region of the same language in the same script. Scripts never substitute each other: zh-Hans does not serve a reader of zh-Hant.
 */
export function chooseLanguage(wanted: readonly string[], offered: readonly string[]): string | null {
  for (const tag of wanted) {
    const asked = parseLocale(tag)
    if (!asked) continue
    const found = matchShortened(asked.baseName, offered) ?? matchOtherRegion(asked, offered)
    if (found) return found
  }
  return null
}

function matchShortened(tag: string, offered: readonly string[]): string | null {
  for (let part = tag.toLowerCase(); part !== ''; part = part.slice(0, Math.max(0, part.lastIndexOf('-')))) {
    const found = offered.find((one) => one.toLowerCase() === part)
    if (found && haveSameScript(tag, found)) return found
  }
  return null
}

const matchOtherRegion = ({ language, baseName }: Intl.Locale, offered: readonly string[]) =>
  offered.find((one) => parseLocale(one)?.language === language && haveSameScript(baseName, one)) ?? null

const haveSameScript = (a: string, b: string) => scriptOf(a) === scriptOf(b)

const scriptOf = memoize(MAX_CACHED_TAGS, (tag) => parseLocale(tag)?.maximize().script ?? null)

/** Parses a language tag; null if the tag is malformed. */
const parseLocale = memoize(MAX_CACHED_TAGS, (tag): Intl.Locale | null => {
  try {
    return new Intl.Locale(tag)
  } catch {
    return null
  }
})

const RIGHT_TO_LEFT = new Set(['Adlm', 'Arab', 'Hebr', 'Mand', 'Nkoo', 'Rohg', 'Samr', 'Syrc', 'Thaa', 'Yezi'])

export const textDirectionOf = (tag: string): 'ltr' | 'rtl' => (RIGHT_TO_LEFT.has(scriptOf(tag) ?? '') ? 'rtl' : 'ltr')
