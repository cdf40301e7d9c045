import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { runCooperatively } from '../../../kernel/cooperative.ts'
import { woff2ToTrueType } from './woff2.ts'

/** A font file with some of the characters: the page font consists of one file per script. */
export interface FontPart {
  name: string
  /** The parsed font. Parsing it for each invoice dominated the rendering time. */
  opened: OpenedFont
  characters: ReadonlySet<number>
}

interface OpenedFont {
  characterSet: number[]
  layout: (text: string, features?: unknown) => TextLayout
  /** pdfkit's glyph cache by glyph id, with the characters each glyph was first used for. */
  _glyphs: Record<number, unknown>
}

interface TextLayout {
  glyphs: readonly unknown[]
  positions: readonly { xAdvance: number }[]
  readonly advanceWidth: number
}

/** The scripts of the page font, most common first: most invoices need only one. */
const SCRIPTS = ['latin', 'latin-ext', 'cyrillic', 'cyrillic-ext', 'greek', 'greek-ext', 'vietnamese'] as const

const { resolve } = createRequire(import.meta.url)
const loaded = new Map<string, Promise<FontPart>>()

/** Loads each font once per process, on first use. */
function getFontPart(script: string): Promise<FontPart> {
  const known = loaded.get(script)
  if (known) return known
  const loading = loadFontPart(script)
  loaded.set(script, loading)
  loading.catch(() => loaded.delete(script))
  return loading
}

async function loadFontPart(script: string): Promise<FontPart> {
  const { default: PDFDocument } = await import('pdfkit')
  const packed = await readFile(resolve(`@fontsource-variable/inter/files/inter-${script}-wght-normal.woff2`))
  const content = await runCooperatively(woff2ToTrueType(packed))
  const { font: opened } = (new PDFDocument({ autoFirstPage: false }).font(content) as unknown as { _font: { font: OpenedFont } })._font
  return { name: script, opened: withLayoutCache(opened), characters: new Set(opened.characterSet) }
}

/** Common words recur on every invoice; names do not, so the cache is limited. */
const MAX_CACHED_WORDS = 2000

/** Wraps a font so that the layout of each word is cached, because layout dominated the rendering time. */
function withLayoutCache(opened: OpenedFont): OpenedFont {
  const layOut = opened.layout.bind(opened)
  const known = new Map<string, TextLayout>()
  /**
   * Lookalike characters share a glyph. An empty glyph cache makes copied text contain the characters of this word, not of an earlier
   * one.
   */
  const layOutIsolated = (text: string) => {
    const others = opened._glyphs
    opened._glyphs = {}
    try {
      return layOut(text)
    } finally {
      opened._glyphs = others
    }
  }
  return Object.assign(opened, {
    layout(text: string, features?: unknown): TextLayout {
      if (features) return layOut(text, features)
      const found = known.get(text) ?? layOutIsolated(text)
      if (known.size >= MAX_CACHED_WORDS) known.clear()
      known.set(text, found)
      // pdfkit modifies the positions, so they are copied.
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

/** The fonts have no narrow no-break space, which French writes in numbers and before some punctuation. */
const toPrinted = (character: string) => (character === '\u202f' ? '\u00a0' : character)

/** Loads the fonts that a text needs. Characters missing in all fonts are printed as question marks. */
export async function loadFontsFor(text: string): Promise<FontPart[]> {
  const left = new Set(Array.from(text, (character) => toPrinted(character).codePointAt(0)!))
  const parts: FontPart[] = []
  for (const script of SCRIPTS) {
    if (left.size === 0 && parts.length > 0) break
    const part = await getFontPart(script)
    const found = [...left].filter((code) => part.characters.has(code))
    if (found.length > 0 || parts.length === 0) parts.push(part)
    for (const code of found) left.delete(code)
  }
  return parts
}

/** Whether a text has characters that none of the fonts can print. */
export const hasMissingCharacters = (text: string, fonts: readonly FontPart[]): boolean =>
  Array.from(text).some((character) => {
    const code = toPrinted(character).codePointAt(0)!
    return code > 0x20 && !fonts.some(({ characters }) => characters.has(code))
  })

/** Splits a text into runs, each printed in one font. */
export function splitIntoFontRuns(text: string, fonts: readonly FontPart[]): { font: FontPart; text: string }[] {
  const runs: { font: FontPart; text: string }[] = []
  for (const character of text) {
    const printed = toPrinted(character)
    const code = printed.codePointAt(0)!
    const last = runs.at(-1)
    // Characters that several fonts have, such as blanks and digits, continue the current run.
    const font = last?.font.characters.has(code) ? last.font : fonts.find(({ characters }) => characters.has(code))
    const shown = font ? printed : '?'
    const own = font ?? fonts[0]!
    if (last?.font === own) last.text += shown
    else runs.push({ font: own, text: shown })
  }
  return runs
}
