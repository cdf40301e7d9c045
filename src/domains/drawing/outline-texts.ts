import { loadFontsForText } from '../fonts/font-parts.ts'
import { drawTextAsOutlines } from '../fonts/outlines.ts'
import { needsFallbackFonts } from '../fonts/picture-font.ts'

const TEXT = /<text([^>]*)>([^<]*)<\/text>/g
/** Matches the SVG group that contains the texts of a drawing. The texts inherit its attributes. */
const INHERITED = /<g font-family="[^"]*"( text-anchor="[^"]*" dominant-baseline="[^"]*")>/
/** Height of the middle of capital letters above the baseline, in em. */
const CENTRAL = 0.364
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' }

/** Replaces each text of an SVG that the default picture font cannot show by the outlines of its letters. */
export async function replaceTextsByOutlines(svg: string): Promise<string> {
  const texts = Array.from(svg.matchAll(TEXT), ([, , text]) => unescapeText(text!)).filter(needsFallbackFonts)
  if (texts.length === 0) return svg
  const fonts = await loadFontsForText(texts.join(''))
  const inherited = INHERITED.exec(svg)?.[1] ?? ''
  return svg.replace(TEXT, (written, own: string, escaped: string) => {
    const text = unescapeText(escaped)
    if (!needsFallbackFonts(text)) return written
    const attributes = own + inherited
    const size = Number.parseFloat(readAttribute(attributes, 'font-size') ?? '11')
    const { paths, width } = drawTextAsOutlines(text, fonts, isBold(readAttribute(attributes, 'font-weight')) ? 600 : 400)
    const anchor = readAttribute(attributes, 'text-anchor')
    const x = Number(readAttribute(attributes, 'x') ?? 0) - width * size * (anchor === 'middle' ? 0.5 : anchor === 'end' ? 1 : 0)
    const y =
      Number(readAttribute(attributes, 'y') ?? 0) + (readAttribute(attributes, 'dominant-baseline') === 'central' ? CENTRAL * size : 0)
    return `<g${own}><g transform="translate(${x} ${y}) scale(${size})">${paths}</g></g>`
  })
}

const isBold = (weight: string | undefined) => weight === 'bold' || Number(weight) >= 600

const readAttribute = (attributes: string, name: string) => new RegExp(` ${name}="([^"]*)"`).exec(attributes)?.[1]

const unescapeText = (text: string) =>
  text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(amp|lt|gt|quot));/gi, (_, decimal?: string, hex?: string, name?: string) =>
    name ? ENTITIES[name.toLowerCase()]! : String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hex!, 16)),
  )
