import type { ResultImage } from '../../kernel/context.ts'
import type { Drawing } from './drawing.ts'
import { toPng } from './png.ts'

/** Maximum size of a picture that assistants accept, in bytes. */
const MAX_BYTES = 150_000
const PIXELS = 1200

/** Renders a drawing as PNG, smaller until it fits into MAX_BYTES. `draw` receives the length of the longer side in pixels. */
export async function renderPicture(draw: (pixels: number) => Drawing): Promise<ResultImage> {
  for (let pixels = PIXELS; ; pixels = Math.round(pixels * 0.7)) {
    const data = await toPng(draw(pixels))
    if (data.length <= MAX_BYTES || pixels < 200) return { mimeType: 'image/png', data }
  }
}
