import { createRequire } from 'node:module'
import { renderAsync, type RenderedImage } from '@resvg/resvg-js'
import { type Drawing, MIN_TEXT_SIZE, type Shape } from './drawing.ts'
import { toSvg } from './svg.ts'

const { resolve } = createRequire(import.meta.url)

/** The only fonts of pictures, so that they are the same on every machine. */
export const FONT_FILES = {
  regular: resolve('@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf'),
  semiBold: resolve('@expo-google-fonts/inter/600SemiBold/Inter_600SemiBold.ttf'),
}

const FONTS = {
  loadSystemFonts: false,
  fontFiles: Object.values(FONT_FILES),
  defaultFontFamily: 'Inter',
  sansSerifFamily: 'Inter',
}

/** Renders an SVG in a worker thread, by default in its own size. */
export const renderSvg = (
  svg: string,
  { background = '#ffffff', width }: { background?: string; width?: number } = {},
): Promise<RenderedImage> =>
  renderAsync(svg, { font: FONTS, background, ...(width === undefined ? {} : { fitTo: { mode: 'width', value: width } }) })

/**
 * Renders the SVG of a drawing as PNG in a worker thread. A PNG cannot be enlarged like an SVG, so text that is too small is left out.
 */
export const renderDrawing = (drawing: Drawing): Promise<RenderedImage> =>
  renderSvg(toSvg({ ...drawing, shapes: drawing.shapes.filter(isReadable) }))

const isReadable = (shape: Shape) => shape.kind !== 'text' || shape.size >= MIN_TEXT_SIZE

export const toPng = async (drawing: Drawing): Promise<Buffer> => (await renderDrawing(drawing)).asPng()
