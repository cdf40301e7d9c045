import { readFileSync } from 'node:fs'
import { makeLazy } from '../../kernel/lazy.ts'
import { FONT_FILES } from '../drawing/png.ts'

export type FontWeight = 'regular' | 'semiBold'

/** The advance widths of a TrueType font by Unicode code point, in units of the em. */
interface FontMetrics {
  widthOf: (codePoint: number) => number | undefined
}

const metrics = {
  regular: makeLazy(() => readMetrics(FONT_FILES.regular)),
  semiBold: makeLazy(() => readMetrics(FONT_FILES.semiBold)),
}

const WIDE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{ExtPict}\u3000-\u303F\uFF00-\uFF60]/v
const UNADVANCED = /[\p{M}\p{Cf}]/v

/** The width of a character that the font does not have. */
const estimateWidth = (character: string) => (UNADVANCED.test(character) ? 0 : WIDE.test(character) ? 1 : 0.62)

/**
 * The width of a text in pixels, from the tables of the shipped font. Measuring with a canvas would depend on the fonts of the machine, and
 * equal rows would not give equal pictures.
 */
export function measureText(text: string, size: number, weight: FontWeight = 'regular'): number {
  const { widthOf } = metrics[weight]()
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

function readMetrics(path: string): FontMetrics {
  const file = readFileSync(path)
  const tables = new Map<string, number>()
  for (let index = 0; index < file.readUInt16BE(4); index++) {
    const at = 12 + index * 16
    tables.set(file.toString('latin1', at, at + 4), file.readUInt32BE(at + 8))
  }
  const unitsPerEm = file.readUInt16BE(tables.get('head')! + 18)
  const advances = file.readUInt16BE(tables.get('hhea')! + 34)
  const glyphs = readGlyphs(file, tables.get('cmap')!)
  return {
    widthOf: (codePoint) => {
      const glyph = glyphs.get(codePoint)
      return glyph === undefined ? undefined : file.readUInt16BE(tables.get('hmtx')! + Math.min(glyph, advances - 1) * 4) / unitsPerEm
    },
  }
}

/** Glyph numbers by code point: from the table of all code points (format 12), else from that of the basic plane (format 4). */
function readGlyphs(file: Buffer, cmap: number): Map<number, number> {
  const formats = new Map<number, number>()
  for (let index = 0; index < file.readUInt16BE(cmap + 2); index++) {
    const at = cmap + file.readUInt32BE(cmap + 4 + index * 8 + 4)
    formats.set(file.readUInt16BE(at), at)
  }
  const [all, basic] = [formats.get(12), formats.get(4)]
  if (all !== undefined) return readSegmentedGlyphs(file, all)
  if (basic !== undefined) return readBasicGlyphs(file, basic)
  throw new Error('the font has no table of Unicode characters')
}

function readSegmentedGlyphs(file: Buffer, at: number): Map<number, number> {
  const glyphs = new Map<number, number>()
  for (let group = 0; group < file.readUInt32BE(at + 12); group++) {
    const start = at + 16 + group * 12
    const [first, last, glyph] = [file.readUInt32BE(start), file.readUInt32BE(start + 4), file.readUInt32BE(start + 8)]
    for (let code = first; code <= last; code++) glyphs.set(code, glyph + code - first)
  }
  return glyphs
}

function readBasicGlyphs(file: Buffer, at: number): Map<number, number> {
  const glyphs = new Map<number, number>()
  const segments = file.readUInt16BE(at + 6) / 2
  for (let segment = 0; segment < segments; segment++) {
    const last = file.readUInt16BE(at + 14 + segment * 2)
    const first = file.readUInt16BE(at + 16 + (segments + segment) * 2)
    const delta = file.readUInt16BE(at + 16 + (2 * segments + segment) * 2)
    const offsetAt = at + 16 + (3 * segments + segment) * 2
    const offset = file.readUInt16BE(offsetAt)
    for (let code = first; code <= last && code < 0xffff; code++) {
      const listed = offset === 0 ? code : file.readUInt16BE(offsetAt + offset + (code - first) * 2)
      const glyph = offset === 0 || listed !== 0 ? (listed + delta) & 0xffff : 0
      if (glyph !== 0) glyphs.set(code, glyph)
    }
  }
  return glyphs
}
