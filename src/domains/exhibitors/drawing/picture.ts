import type { Picture } from '../../../kernel/context.ts'
import { inTurns } from '../../../kernel/turns.ts'
import { drawPlan, type DrawnPlan } from './drawing.ts'
import { toPng } from './png.ts'
import { paint } from './raster.ts'

const MAX_BYTES = 150_000
const PIXELS = 1200

/** As large as assistants take it: a plan that is too full for its size is drawn smaller. */
export async function pictureOf(plan: DrawnPlan): Promise<Picture> {
  for (let pixels = PIXELS; ; pixels = Math.round(pixels * 0.7)) {
    const data = await toPng(await inTurns(paint(drawPlan(plan, pixels))))
    if (data.length <= MAX_BYTES || pixels < 200) return { mimeType: 'image/png', data }
  }
}
