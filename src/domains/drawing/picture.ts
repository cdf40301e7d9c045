import type { ResultImage } from '../../kernel/context.ts'
import type { Drawing } from './drawing.ts'
import { encodePng, renderDrawing } from './png.ts'

/** Maximum size of a picture that assistants accept, in bytes. */
const MAX_BYTES = 150_000
const PIXELS = 1200
const FEW_COLOURS = 64

/**
 * Renders a drawing as PNG, with fewer colours and then smaller until it fits into MAX_BYTES. `draw` receives the length of the longer side
 * in pixels.
 */
export async function renderPicture(draw: (pixels: number) => Drawing): Promise<ResultImage> {
  for (let pixels = PIXELS; ; pixels = Math.round(pixels * 0.7)) {
    const image = await renderDrawing(draw(pixels))
    for (const colours of [undefined, FEW_COLOURS]) {
      const data = await encodePng(image, colours)
      if (data.length <= MAX_BYTES || (colours && pixels < 200)) return { mimeType: 'image/png', data }
    }
  }
}
