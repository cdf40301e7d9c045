import type { ResultImage } from '../../kernel/context.ts'
import type { Drawing } from './drawing.ts'
import { toPng } from './png.ts'

/** The largest picture that assistants accept. */
const MAX_BYTES = 150_000
const PIXELS = 1200

/** A drawing as a PNG, drawn smaller until it fits. `draw` gets the length of the drawing's longer side. */
export async function renderPicture(draw: (pixels: number) => Drawing): Promise<ResultImage> {
  for (let pixels = PIXELS; ; pixels = Math.round(pixels * 0.7)) {
    const data = await toPng(draw(pixels))
    if (data.length <= MAX_BYTES || pixels < 200) return { mimeType: 'image/png', data }
  }
}
