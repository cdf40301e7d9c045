import type { ResultImage } from '../../../kernel/context.ts'
import { drawPlan, type DrawnPlan } from './drawing.ts'
import { toPng } from './png.ts'

/** The largest picture that assistants accept. */
const MAX_BYTES = 150_000
const PIXELS = 1200

/** The plan as a PNG, drawn smaller until it fits. */
export async function pictureOf(plan: DrawnPlan): Promise<ResultImage> {
  for (let pixels = PIXELS; ; pixels = Math.round(pixels * 0.7)) {
    const data = await toPng(drawPlan(plan, pixels))
    if (data.length <= MAX_BYTES || pixels < 200) return { mimeType: 'image/png', data }
  }
}
