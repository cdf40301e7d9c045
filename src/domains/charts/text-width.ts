import type { FontPart } from '../fonts/font-parts.ts'
import { loadFontsFor } from '../fonts/font-parts.ts'
import { measureInFonts } from '../fonts/outlines.ts'
import { needsOtherFonts, pictureFontWidths } from '../fonts/picture-font.ts'

export type FontWeight = 'regular' | 'semiBold'

const WEIGHTS = { regular: 400, semiBold: 600 }

/** The fonts of the texts that are being measured, which are loaded before. */
let otherFonts: readonly FontPart[] = []

/** Loads fonts for the characters in a text that the font of pictures does not have. */
export const loadOtherFonts = async (text: string): Promise<readonly FontPart[]> => (needsOtherFonts(text) ? await loadFontsFor(text) : [])

/** Sets the fonts in which texts are measured from now on. Only one picture is drawn at a time. */
export function measureWith(fonts: readonly FontPart[]): void {
  otherFonts = fonts
}

const WIDE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{ExtPict}\u3000-\u303F\uFF00-\uFF60]/v
const UNADVANCED = /[\p{M}\p{Cf}]/v

/** The width of a character that no font has. */
const estimateWidth = (character: string) => (UNADVANCED.test(character) ? 0 : WIDE.test(character) ? 1 : 0.62)

/**
 * The width of a text in pixels, from the tables of the shipped fonts. Measuring with a canvas would depend on the fonts of the machine, and
 * equal rows would not give equal pictures.
 */
export function measureText(text: string, size: number, weight: FontWeight = 'regular'): number {
  if (otherFonts.length > 0 && needsOtherFonts(text)) return measureInFonts(text, otherFonts, WEIGHTS[weight]) * size
  const { widthOf } = pictureFontWidths[weight]()
  let em = 0
  for (const character of text) em += widthOf(character.codePointAt(0)!) ?? estimateWidth(character)
  return em * size
}

/** Cuts a text to a width in pixels and ends it with an ellipsis. */
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

/** Breaks a text between words into lines of at most this width; the last line is cut. */
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
