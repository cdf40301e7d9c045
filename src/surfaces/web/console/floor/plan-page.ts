import { type FloorPlanRow, getFloorPlan } from '../../../../domains/exhibitors/floor/floor-plans.ts'
import { cleanText } from '../../../../kernel/clean-text.ts'
import type { Permission } from '../../../../kernel/permissions.ts'
import type { WebContext, WebServices } from '../../web.ts'
import { CONSOLE_EVENT_PATH, type EventPageContext, getEventPageContext } from '../event/event-page.ts'

export const FLOOR_PLANS_PATH = `${CONSOLE_EVENT_PATH}/floor-plans`
export const FLOOR_PLAN_PATH = `${FLOOR_PLANS_PATH}/:plan`

/** A floor plan of an event, with the user's access. */
export interface PlanPageContext extends EventPageContext {
  plan: FloorPlanRow
  /** Address of the floor plan's page. */
  here: string
  /** Whether the page shows forms for changes. Each change checks the permission again. */
  mayChange: boolean
}

export async function getPlanPageContext(web: WebServices, c: WebContext, see: Permission = 'exhibitors.read'): Promise<PlanPageContext> {
  const at = await getEventPageContext(web, c, see)
  const plan = await getFloorPlan(at.reading, cleanText(c.req.param('plan') ?? '', 80))
  return { ...at, plan, here: `${at.base}/floor-plans/${plan.code}`, mayChange: mayChangePlans(at) }
}

export const mayChangePlans = ({ permissions, event }: EventPageContext): boolean =>
  permissions.has('exhibitors.write') && event.status !== 'archived'

/** Formats a length or area, which is in the units of the floor plan, with at most two decimals. */
export const formatMeasurement = (value: number): string => value.toLocaleString('en-GB', { maximumFractionDigits: 2 })
