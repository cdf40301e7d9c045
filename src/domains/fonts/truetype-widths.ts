import { readFileSync } from 'node:fs'

/** Advance widths of a TrueType font by Unicode code point, in em. */
export interface FontWidths {
  widthOf: (codePoint: number) => number | undefined
}

/** Reads only the character widths from a font file, which is much faster than parsing all of it. */
export function readFontWidths(path: string): FontWidths {
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

/** Reads the glyph number of each code point from the font's table of all code points (format 12), or of the basic plane (format 4). */
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
