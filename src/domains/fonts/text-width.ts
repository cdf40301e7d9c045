import type { FontSubset } from './font-parts.ts'
import { loadFontsForText } from './font-parts.ts'
import { measureTextInFonts } from './outlines.ts'
import { needsFallbackFonts, pictureFontGlyphWidths } from './picture-font.ts'

export type FontWeight = 'regular' | 'semiBold'

const WEIGHTS = { regular: 400, semiBold: 600 }

/** The additional fonts in which texts are measured; they must be loaded before measuring. */
let otherFonts: readonly FontSubset[] = []

/** Loads fonts for the characters of a text that the default chart font lacks. */
export const loadFallbackFonts = async (text: string): Promise<readonly FontSubset[]> =>
  needsFallbackFonts(text) ? await loadFontsForText(text) : []

/** Sets the additional fonts in which texts are measured. They are global, because only one chart is drawn at a time. */
export function setFallbackMeasurementFonts(fonts: readonly FontSubset[]): void {
  otherFonts = fonts
}

const WIDE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{ExtPict}\u3000-\u303F\uFF00-\uFF60]/v
const UNADVANCED = /[\p{M}\p{Cf}]/v

/** Estimates the width of a character that no font contains, relative to the font size. */
const estimateWidth = (character: string) => (UNADVANCED.test(character) ? 0 : WIDE.test(character) ? 1 : 0.62)

/**
 * Measures the width of a text in pixels with the tables of the shipped fonts. A canvas would use the fonts of the machine, so that equal
 * rows would give different images on other machines.
 */
export function measureText(text: string, size: number, weight: FontWeight = 'regular'): number {
  if (otherFonts.length > 0 && needsFallbackFonts(text)) return measureTextInFonts(text, otherFonts, WEIGHTS[weight]) * size
  const { widthOf } = pictureFontGlyphWidths[weight]()
  let em = 0
  for (const character of text) em += widthOf(character.codePointAt(0)!) ?? estimateWidth(character)
  return em * size
}

/** Shortens a text to a width in pixels, with an ellipsis at the end. */
export function truncateText(text: string, width: number, size: number, weight: FontWeight = 'regular'): string {
  if (measureText(text, size, weight) <= width) return text
  const characters = [...text]
  let [fits, tooLong] = [0, characters.length]
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >> 1
    if (measureText(`${characters.slice(0, middle).join('').trimEnd()}…`, size, weight) <= width) fits = middle
    else tooLong = middle
  }
  return `${characters.slice(0, fits).join('').trimEnd()}…`
}

/** Wraps a text at spaces into lines of at most this width; the last line is truncated. */
export function wrapText(
  text: string,
  { width, size, weight = 'regular', lines: maxLines }: { width: number; size: number; weight?: FontWeight; lines: number },
): string[] {
  const lines: string[] = []
  let rest = text.split(' ')
  while (rest.length > 0 && lines.length < maxLines - 1) {
    let count = 1
    while (count < rest.length && measureText(rest.slice(0, count + 1).join(' '), size, weight) <= width) count++
    lines.push(truncateText(rest.slice(0, count).join(' '), width, size, weight))
    rest = rest.slice(count)
  }
  return rest.length === 0 ? lines : [...lines, truncateText(rest.join(' '), width, size, weight)]
}
