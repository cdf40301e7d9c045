import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { runTaskCooperatively } from '../../kernel/cooperative.ts'
import { memoize } from '../../kernel/memoize.ts'
import { EMOJI_FONT_FAMILY, listFallbackFamilies, PAGE_FONT_FAMILY, PAGE_FONT_SUBSETS, readFontSubsets } from './families.ts'
import { isIgnorableCharacter, isRightToLeftWord, toPrintableCharacter } from './characters.ts'
import { encodeGlyphsInFontWeight } from './weighted-subset.ts'
import { woff2ToTrueType } from './woff2.ts'

/** A font file with some of the characters: each family consists of one file per script or per few hundred characters. */
export interface FontSubset {
  name: string
  /** The parsed font in regular weight. It is kept, because parsing it for each invoice took most of the rendering time. */
  opened: OpenedFont
  /** Returns the parsed font in another weight. */
  openAt: (weight: number) => OpenedFont
  characters: ReadonlySet<number>
  /** The height of letters above the baseline, as a share of the font size. */
  ascent: number
}

interface OpenedFont {
  characterSet: number[]
  unitsPerEm: number
  ascent: number
  layout: (text: string, features?: unknown, script?: undefined, language?: undefined, direction?: 'ltr' | 'rtl') => TextLayout
  getVariation: (axes: { wght: number }) => OpenedFont
  createSubset: () => Parameters<typeof encodeGlyphsInFontWeight>[0]
  /** The cache in which pdfkit keeps glyphs by id, each with the characters it was first used for. */
  _glyphs: Record<number, unknown>
}

interface TextLayout {
  glyphs: readonly { path: { toSVG: () => string } }[]
  positions: readonly { xAdvance: number; xOffset: number; yOffset: number }[]
  readonly advanceWidth: number
}

const REGULAR = 400
const LAST_ASCII = 0x7f
/** Maximum number of font parts in memory. Parts are small, but there are hundreds; the least recently used are read again when needed. */
const MAX_KEPT_PARTS = 60

const { resolve } = createRequire(import.meta.url)
const loaded = new Map<string, Promise<FontSubset>>()

/** Loads a font part, once on first use. */
function getFontPart(family: string, subset: string): Promise<FontSubset> {
  const name = `${family}-${subset}`
  const loading = loaded.get(name) ?? loadFontPart(family, name)
  // The map is ordered by last use, so the most recently used part is the last one.
  loaded.delete(name)
  loaded.set(name, loading)
  if (loaded.size > MAX_KEPT_PARTS) loaded.delete(loaded.keys().next().value!)
  loading.catch(() => loaded.delete(name))
  return loading
}

async function loadFontPart(family: string, name: string): Promise<FontSubset> {
  const { default: PDFDocument } = await import('pdfkit')
  const packed = await readFile(resolve(`@fontsource-variable/${family}/files/${name}-wght-normal.woff2`))
  const content = await runTaskCooperatively(woff2ToTrueType(packed))
  const { font } = (new PDFDocument({ autoFirstPage: false }).font(content) as unknown as { _font: { font: OpenedFont } })._font
  const weights = new Map<number, OpenedFont>()
  const openAt = (weight: number) => {
    const known = weights.get(weight)
    if (known) return known
    // A weight is always chosen for fonts other than the page font, because some of them are thin by default.
    const opened = family === PAGE_FONT_FAMILY && weight === REGULAR ? font : openWeight(font, weight)
    weights.set(weight, withLayoutCache(opened))
    return opened
  }
  // The digits of the emoji font are as wide as emoji, so digits are printed in another font.
  const characters = family === EMOJI_FONT_FAMILY ? font.characterSet.filter((code) => code > LAST_ASCII) : font.characterSet
  return { name, opened: openAt(REGULAR), openAt, characters: new Set(characters), ascent: font.ascent / font.unitsPerEm }
}

function openWeight(font: OpenedFont, weight: number): OpenedFont {
  const opened = font.getVariation({ wght: weight })
  const createSubset = opened.createSubset.bind(opened)
  return Object.assign(opened, {
    createSubset() {
      const subset = createSubset()
      encodeGlyphsInFontWeight(subset)
      return subset
    },
  })
}

/** Maximum number of words in the layout cache. Common words recur on every invoice; names do not. */
const MAX_CACHED_WORDS = 2000

/** Wraps a font so that the layout of each word is cached, because the layout of texts took most of the rendering time. */
function withLayoutCache(opened: OpenedFont): OpenedFont {
  const layOut = opened.layout.bind(opened)
  /**
   * Lays out a word with an empty glyph cache. Lookalike characters share a glyph: with a filled cache, copied text would contain the
   * characters of an earlier word.
   */
  const layOutWord = memoize(MAX_CACHED_WORDS, (text) => {
    const others = opened._glyphs
    opened._glyphs = {}
    try {
      return layOut(text, undefined, undefined, undefined, isRightToLeftWord(text) ? 'rtl' : 'ltr')
    } finally {
      opened._glyphs = others
    }
  })
  return Object.assign(opened, {
    layout(text: string, features?: unknown): TextLayout {
      if (features) return layOut(text, features)
      const found = layOutWord(text)
      // The cached positions are copied, because pdfkit modifies them.
      const positions = found.positions.map((position) => ({ ...position }))
      return {
        glyphs: found.glyphs,
        positions,
        get advanceWidth() {
          return positions.reduce((sum, { xAdvance }) => sum + xAdvance, 0)
        },
      }
    },
  })
}

/** Loads the fonts that a text needs: the page font, then fonts of other scripts. Other characters are printed as question marks. */
export async function loadFontsForText(text: string): Promise<FontSubset[]> {
  const printed = Array.from(new Set(text), toPrintableCharacter).filter((character) => character > ' ' && !isIgnorableCharacter(character))
  const left = new Set(printed.map((character) => character.codePointAt(0)!))
  const parts: FontSubset[] = []
  const take = async (family: string, subset: string) => {
    const part = await getFontPart(family, subset)
    const found = [...left].filter((code) => part.characters.has(code))
    if (found.length > 0 || parts.length === 0) parts.push(part)
    for (const code of found) left.delete(code)
  }
  for (const subset of PAGE_FONT_SUBSETS) if (left.size > 0 || parts.length === 0) await take(PAGE_FONT_FAMILY, subset)
  for (const family of listFallbackFamilies(text)) {
    if (left.size === 0) break
    const subsets = await readFontSubsets(family)
    for (const subset of new Set([...left].flatMap((code) => subsets.get(code) ?? []))) await take(family, subset)
  }
  return parts
}

/** Whether a text has characters that none of the fonts can print. */
export const hasMissingCharacters = (text: string, fonts: readonly FontSubset[]): boolean =>
  Array.from(text).some((character) => {
    const code = toPrintableCharacter(character).codePointAt(0)!
    return code > 0x20 && !isIgnorableCharacter(character) && !fonts.some(({ characters }) => characters.has(code))
  })
