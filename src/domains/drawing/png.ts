import { renderAsync, type RenderedImage } from '@resvg/resvg-js'
import { PICTURE_FONT_FILES } from '../fonts/picture-font.ts'
import { type Drawing, MIN_TEXT_SIZE, type DrawingShape } from './drawing.ts'
import { replaceTextsByOutlines } from './outline-texts.ts'
import { toSvg } from './svg.ts'

const FONTS = {
  loadSystemFonts: false,
  fontFiles: Object.values(PICTURE_FONT_FILES),
  defaultFontFamily: 'Inter',
  sansSerifFamily: 'Inter',
}

/**
 * Renders an SVG as PNG in a worker thread, by default in its own size. Texts in scripts that the font does not have are drawn as outlines.
 */
export const renderSvg = async (
  svg: string,
  { background = '#ffffff', width }: { background?: string; width?: number } = {},
): Promise<RenderedImage> =>
  renderAsync(await replaceTextsByOutlines(svg), {
    font: FONTS,
    background,
    ...(width === undefined ? {} : { fitTo: { mode: 'width', value: width } }),
  })

/**
 * Renders the SVG of a drawing as PNG in a worker thread. A PNG cannot be enlarged like an SVG, so text that is too small is left out.
 */
export const renderDrawing = (drawing: Drawing): Promise<RenderedImage> =>
  renderSvg(toSvg({ ...drawing, shapes: drawing.shapes.filter(isReadable) }))

const isReadable = (shape: DrawingShape) => shape.kind !== 'text' || shape.size >= MIN_TEXT_SIZE

/**
 * Compresses an opaque picture in a worker thread. The renderer itself would do it on the main thread, which takes 200 ms. With a limited
 * number of colours, a table full of text takes about a third of the bytes.
 */
export async function encodePng({ width, height, pixels }: RenderedImage, colours?: number): Promise<Buffer> {
  const { default: sharp } = await import('sharp')
  return sharp(pixels, { raw: { width, height, channels: 4 } })
    .removeAlpha()
    .png(colours === undefined ? { compressionLevel: 6 } : { palette: true, colours, dither: 0, effort: 1 })
    .toBuffer()
}
