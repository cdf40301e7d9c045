import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

/** The font of pages and documents. */
export const PAGE_FONT_FAMILY = 'inter'

/** The subsets of the page font, most common first, because most invoices need only the first one. */
export const PAGE_FONT_SUBSETS = ['latin', 'latin-ext', 'cyrillic', 'cyrillic-ext', 'greek', 'greek-ext', 'vietnamese'] as const

const SMALL_FAMILIES = ['noto-sans-arabic', 'noto-sans-hebrew', 'noto-sans-thai', 'noto-sans-devanagari']
/** The font family for symbols and emoji in one color. */
export const EMOJI_FONT_FAMILY = 'noto-emoji'
const KANA = /[\p{sc=Hira}\p{sc=Kana}]/v

/**
 * Lists the font families for characters that the page font does not have, in the order of their use. Chinese and Japanese share characters
 * that are drawn differently; kana mean that a text is Japanese.
 */
export const listFallbackFamilies = (text: string): readonly string[] =>
  KANA.test(text)
    ? [...SMALL_FAMILIES, 'noto-sans-jp', 'noto-sans-sc', 'noto-sans-kr', EMOJI_FONT_FAMILY]
    : [...SMALL_FAMILIES, 'noto-sans-sc', 'noto-sans-jp', 'noto-sans-kr', EMOJI_FONT_FAMILY]

const { resolve } = createRequire(import.meta.url)
const known = new Map<string, Promise<ReadonlyMap<number, string>>>()

/** Returns for each character (code point) of a font family the subset that has it. Cached after the first call. */
export function readFontSubsets(family: string): Promise<ReadonlyMap<number, string>> {
  const reading = known.get(family) ?? readUnicodeRanges(family)
  known.set(family, reading)
  reading.catch(() => known.delete(family))
  return reading
}

/** Reads the Unicode ranges of a font family's subsets, written as in style sheets: `{ "[0]": "U+25ee8,U+26ff6-26ff8", "latin": "…" }`. */
async function readUnicodeRanges(family: string): Promise<ReadonlyMap<number, string>> {
  const file = await readFile(resolve(`@fontsource-variable/${family}/unicode.json`), 'utf8')
  const subsets = new Map<number, string>()
  for (const [subset, ranges] of Object.entries(JSON.parse(file) as Record<string, string>))
    for (const range of ranges.split(',')) {
      const [first, last = first] = range
        .trim()
        .slice(2)
        .split('-')
        .map((code) => Number.parseInt(code, 16)) as [number, number?]
      for (let code = first; code <= last!; code++) if (!subsets.has(code)) subsets.set(code, subset.replace(/[[\]]/g, ''))
    }
  return subsets
}
