import type { ResultImage } from '../../../kernel/context.ts'
import { renderPictureForAssistant } from '../../drawing/picture.ts'
import { drawPlan, type DrawnPlan } from './drawing.ts'

/** Renders a floor plan as a PNG image. An image above the size limit of tool results is rendered again in a smaller size. */
export const renderFloorPlan = (plan: DrawnPlan): Promise<ResultImage> => renderPictureForAssistant((pixels) => drawPlan(plan, pixels))
