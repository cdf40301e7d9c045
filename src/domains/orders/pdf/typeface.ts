import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { inTurns } from '../../../kernel/turns.ts'
import { woff2ToTrueType } from './woff2.ts'

/** A font that holds some of the characters; the font of our pages comes in one per script. */
export interface FontPart {
  name: string
  /** As the writer of PDFs has it: to read its tables anew for each invoice took most of the time of writing one. */
  opened: OpenedFont
  characters: ReadonlySet<number>
}

interface OpenedFont {
  characterSet: number[]
  layout: (text: string, features?: unknown) => LaidOut
  /** By their number, each with the signs that it was first taken for. */
  _glyphs: Record<number, unknown>
}

interface LaidOut {
  glyphs: readonly unknown[]
  positions: readonly { xAdvance: number }[]
  readonly advanceWidth: number
}

/** The commonest first: most invoices need no other. */
const SCRIPTS = ['latin', 'latin-ext', 'cyrillic', 'cyrillic-ext', 'greek', 'greek-ext', 'vietnamese'] as const

const { resolve } = createRequire(import.meta.url)
const loaded = new Map<string, Promise<FontPart>>()

/** Unpacked once per process, when somebody's name first needs it. */
function partOf(script: string): Promise<FontPart> {
  const known = loaded.get(script)
  if (known) return known
  const loading = load(script)
  loaded.set(script, loading)
  loading.catch(() => loaded.delete(script))
  return loading
}

async function load(script: string): Promise<FontPart> {
  const { default: PDFDocument } = await import('pdfkit')
  const packed = await readFile(resolve(`@fontsource-variable/inter/files/inter-${script}-wght-normal.woff2`))
  const content = await inTurns(woff2ToTrueType(packed))
  const { font: opened } = (new PDFDocument({ autoFirstPage: false }).font(content) as unknown as { _font: { font: OpenedFont } })._font
  return { name: script, opened: remembering(opened), characters: new Set(opened.characterSet) }
}

/** Most words stand on every invoice; names never end. */
const MAX_WORDS = 2000

/** Lays out a word once, and not for each invoice anew, which took most of the time of writing one. */
function remembering(opened: OpenedFont): OpenedFont {
  const layOut = opened.layout.bind(opened)
  const known = new Map<string, LaidOut>()
  /** Some signs look alike and share a drawing: who copies the text gets those of this word, and not of whatever was written before. */
  const alone = (text: string) => {
    const others = opened._glyphs
    opened._glyphs = {}
    try {
      return layOut(text)
    } finally {
      opened._glyphs = others
    }
  }
  return Object.assign(opened, {
    layout(text: string, features?: unknown): LaidOut {
      if (features) return layOut(text, features)
      const found = known.get(text) ?? alone(text)
      if (known.size >= MAX_WORDS) known.clear()
      known.set(text, found)
      // The writer of PDFs changes positions to its own measure.
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

/** The fonts that a text needs. Characters that none of them has are shown as question marks. */
export async function fontsFor(text: string): Promise<FontPart[]> {
  const left = new Set(Array.from(text, (sign) => sign.codePointAt(0)!))
  const parts: FontPart[] = []
  for (const script of SCRIPTS) {
    if (left.size === 0 && parts.length > 0) break
    const part = await partOf(script)
    const found = [...left].filter((code) => part.characters.has(code))
    if (found.length > 0 || parts.length === 0) parts.push(part)
    for (const code of found) left.delete(code)
  }
  return parts
}

/** A text in pieces of one font each. */
export function runsOf(text: string, fonts: readonly FontPart[]): { font: FontPart; text: string }[] {
  const runs: { font: FontPart; text: string }[] = []
  for (const sign of text) {
    const code = sign.codePointAt(0)!
    const last = runs.at(-1)
    // Signs that every part has, as blanks and figures, do not begin a new piece.
    const font = last?.font.characters.has(code) ? last.font : fonts.find(({ characters }) => characters.has(code))
    const shown = font ? sign : '?'
    const own = font ?? fonts[0]!
    if (last?.font === own) last.text += shown
    else runs.push({ font: own, text: shown })
  }
  return runs
}
