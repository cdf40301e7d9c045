import type { ResultImage } from '../../../kernel/context.ts'
import { renderPictureForAssistant } from '../../drawing/picture.ts'
import { drawFloorPlan, type DrawableFloorPlan } from './drawing.ts'

/** Renders a floor plan as a PNG image. An image above the size limit of tool results is rendered again in a smaller size. */
export const renderFloorPlan = (plan: DrawableFloorPlan): Promise<ResultImage> =>
  renderPictureForAssistant((pixels) => drawFloorPlan(plan, pixels))
