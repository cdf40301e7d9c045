import type { ResultImage } from '../../../kernel/context.ts'
import { renderPicture } from '../../drawing/picture.ts'
import { drawPlan, type DrawnPlan } from './drawing.ts'

/** Renders a floor plan as PNG, smaller until it fits the size limit of pictures. */
export const renderFloorPlan = (plan: DrawnPlan): Promise<ResultImage> => renderPicture((pixels) => drawPlan(plan, pixels))
