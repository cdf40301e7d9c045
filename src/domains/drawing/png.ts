import { createRequire } from 'node:module'
import { renderAsync, type RenderedImage } from '@resvg/resvg-js'
import { type Drawing, MIN_TEXT_SIZE, type Shape } from './drawing.ts'
import { toSvg } from './svg.ts'

/** The only font of pictures, so that they are the same on every machine. */
const FONT = createRequire(import.meta.url).resolve('@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf')
const OPTIONS = {
  font: { loadSystemFonts: false, fontFiles: [FONT], defaultFontFamily: 'Inter', sansSerifFamily: 'Inter' },
  background: '#ffffff',
}

/**
 * Renders the SVG of a drawing as PNG in a worker thread. A PNG cannot be enlarged like an SVG, so text that is too small is left out.
 */
export const renderDrawing = (drawing: Drawing): Promise<RenderedImage> =>
  renderAsync(toSvg({ ...drawing, shapes: drawing.shapes.filter(isReadable) }), OPTIONS)

const isReadable = (shape: Shape) => shape.kind !== 'text' || shape.size >= MIN_TEXT_SIZE

export const toPng = async (drawing: Drawing): Promise<Buffer> => (await renderDrawing(drawing)).asPng()
