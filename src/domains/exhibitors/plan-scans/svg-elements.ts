import { MAX_DRAWING_ENTITIES, createFileLimitError, createUnreadableFileError } from './source-drawing.ts'

/** An element of an SVG file. Its texts are strings among its children, so that the order of texts and elements is kept. */
export interface SvgElement {
  name: string
  attributes: Readonly<Record<string, string>>
  children: (SvgElement | string)[]
}

const MAX_DEPTH = 200
/** Elements whose content is never drawn or is not part of the drawing. */
const IGNORED = new Set([
  'script',
  'style',
  'foreignobject',
  'metadata',
  'image',
  'filter',
  'animate',
  'set',
  'clippath',
  'mask',
  'pattern',
  'marker',
])

/** Parses an SVG file to a tree. Entities, scripts and external content are never read. */
export async function parseSvg(text: string): Promise<{ root: SvgElement; byId: ReadonlyMap<string, SvgElement> }> {
  const { SaxesParser } = await import('saxes')
  const parser = new SaxesParser({ xmlns: false })
  const open: SvgElement[] = []
  const byId = new Map<string, SvgElement>()
  let root: SvgElement | null = null
  let [count, skipped] = [0, 0]
  parser.on('error', () => {
    throw createUnreadableFileError('The file is not well-formed SVG. Save it again as plain SVG')
  })
  parser.on('doctype', (declared) => {
    if (declared.includes('<!')) throw createUnreadableFileError('The SVG declares entities, which are not accepted. Save it as plain SVG')
  })
  parser.on('opentag', ({ name, attributes }) => {
    if (++count > MAX_DRAWING_ENTITIES)
      throw createFileLimitError(`The drawing has more than ${MAX_DRAWING_ENTITIES} entities. Remove layers that are not needed`)
    const local = name.slice(name.indexOf(':') + 1).toLowerCase()
    if (skipped > 0 || IGNORED.has(local)) {
      skipped++
      return
    }
    if (open.length >= MAX_DEPTH) throw createFileLimitError(`The SVG has groups that are nested more than ${MAX_DEPTH} deep`)
    const element: SvgElement = { name: local, attributes, children: [] }
    if (attributes['id'] !== undefined) byId.set(attributes['id'], element)
    open.at(-1)?.children.push(element)
    root ??= element
    open.push(element)
  })
  parser.on('closetag', () => {
    if (skipped > 0) skipped--
    else open.pop()
  })
  const addText = (content: string) => {
    if (skipped === 0 && content !== '') open.at(-1)?.children.push(content)
  }
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.write(text).close()
  const found = root as SvgElement | null
  if (found?.name !== 'svg') throw createUnreadableFileError('The file is not an SVG drawing')
  return { root: found, byId }
}
