import type { ResultImage } from '../../../kernel/context.ts'
import { renderPicture } from '../../drawing/picture.ts'
import { drawPlan, type DrawnPlan } from './drawing.ts'

/** The plan as a PNG, drawn smaller until it fits. */
export const pictureOf = (plan: DrawnPlan): Promise<ResultImage> => renderPicture((pixels) => drawPlan(plan, pixels))
