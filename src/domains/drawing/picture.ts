import type { RenderedImage } from '@resvg/resvg-js'
import type { ResultImage } from '../../kernel/context.ts'
import type { Drawing } from './drawing.ts'
import { encodePng, renderDrawing } from './png.ts'

/** Maximum size of a picture that assistants accept, in bytes. */
export const MAX_PICTURE_BYTES = 150_000
const PIXELS = 1200
const MIN_PIXELS = 200
const FEW_COLOURS = 64

/** Renders a drawing as PNG for an assistant. `draw` receives the length of the picture's longer side in pixels. */
export const renderPictureForAssistant = async (draw: (pixels: number) => Drawing): Promise<ResultImage> => ({
  mimeType: 'image/png',
  data: await renderPngWithinByteLimit(MAX_PICTURE_BYTES, PIXELS, (pixels) => renderDrawing(draw(pixels))),
})

/** Renders an image as PNG of at most `maxBytes`: with fewer colours if it is too large, and smaller if that is not enough. */
export async function renderPngWithinByteLimit(
  maxBytes: number,
  firstPixels: number,
  render: (pixels: number) => Promise<RenderedImage>,
): Promise<Buffer> {
  for (let pixels = firstPixels; ; pixels = Math.round(pixels * 0.7)) {
    const image = await render(pixels)
    const exact = await encodePng(image)
    if (exact.length <= maxBytes) return exact
    const reduced = await encodePng(image, FEW_COLOURS)
    if (reduced.length <= maxBytes || pixels < MIN_PIXELS) return reduced
  }
}
