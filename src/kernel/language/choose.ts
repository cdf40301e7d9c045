/** More is never sent by a browser, and reading it would be work for nothing. */
const MAX_HEADER = 1000
const MAX_RANGES = 30

/** The tags of an `Accept-Language` header, the most wanted first. Left out is what is refused (`q=0`), cannot be read, or means any (`*`). */
export function readAcceptLanguage(header: string | undefined): string[] {
  const ranges = (header ?? '').slice(0, MAX_HEADER).split(',').slice(0, MAX_RANGES)
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
 * The offered language that serves somebody best, or null. Each wanted tag is tried in turn: the same one, then shorter forms of it, then
 * another region of the same language in the same script. Scripts are not exchanged: whoever reads zh-Hant is not served by zh-Hans.
 */
export function chooseLanguage(wanted: readonly string[], offered: readonly string[]): string | null {
  for (const tag of wanted) {
    const asked = localeOf(tag)
    if (!asked) continue
    const found = shorter(asked.baseName, offered) ?? sameLanguage(asked, offered)
    if (found) return found
  }
  return null
}

function shorter(tag: string, offered: readonly string[]): string | null {
  for (let part = tag.toLowerCase(); part !== ''; part = part.slice(0, Math.max(0, part.lastIndexOf('-')))) {
    const found = offered.find((one) => one.toLowerCase() === part)
    if (found && haveSameScript(tag, found)) return found
  }
  return null
}

const sameLanguage = ({ language, baseName }: Intl.Locale, offered: readonly string[]) =>
  offered.find((one) => localeOf(one)?.language === language && haveSameScript(baseName, one)) ?? null

const haveSameScript = (a: string, b: string) => scriptOf(a) === scriptOf(b)

const scriptOf = (tag: string) => localeOf(tag)?.maximize().script

/** Null for what is no language tag. */
function localeOf(tag: string): Intl.Locale | null {
  try {
    return new Intl.Locale(tag)
  } catch {
    return null
  }
}

const RIGHT_TO_LEFT = new Set(['Adlm', 'Arab', 'Hebr', 'Mand', 'Nkoo', 'Rohg', 'Samr', 'Syrc', 'Thaa', 'Yezi'])

export const directionOf = (tag: string): 'ltr' | 'rtl' => (RIGHT_TO_LEFT.has(scriptOf(tag) ?? '') ? 'rtl' : 'ltr')
