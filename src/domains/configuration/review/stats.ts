import { listTestRunGoals, isGoalDecidedByFlowRules } from '../flow/goals.ts'
import { findQuestionRules } from '../flow/answer-rules.ts'
import { ADDRESS_PARTS, type Widget } from '../schema/widgets.ts'
import { isWidgetInputRequired, type FlowReviewContext } from './context.ts'

export interface FlowStats {
  pages: number
  widgets: number
  /** The number of widgets that require an answer while visible. */
  required: number
  /** The number of pages and widgets with a condition. */
  conditions: number
  /** Number of branches: two for each page or widget with a rule (visible, hidden), and one for each of several prices of a product. */
  branches: number
  /** Time to complete the flow for a participant who sees every page, rounded up to a tenth of a minute. */
  estimatedMinutes: number
}

export function countWidgetInputs(widget: Widget): number {
  switch (widget.type) {
    case 'name':
      return widget.parts.length
    case 'address':
      return ADDRESS_PARTS.length
    case 'membershipLookup':
      return widget.inputs.length
    case 'companyProfile':
    case 'submission':
      return Math.max(1, widget.fields.length)
    case 'group':
      return widget.mode === 'both' ? 2 : 1
    case 'field':
      return widget.readOnly ? 0 : 1
    case 'headshot':
    case 'inviteCode':
    case 'products':
    case 'donation':
    case 'sessions':
    case 'guests':
    case 'housing':
    case 'boothRequest':
    case 'policy':
    case 'sharing':
    case 'discountCode':
    case 'payment':
      return 1
    default:
      return 0
  }
}

const SECONDS = { input: 6, longText: 12, products: 8, policy: 15, page: 10 }

export function computeFlowStats(flowContext: FlowReviewContext): FlowStats {
  const { widgetElements, pages, flow, config } = flowContext
  const seconds = widgetElements.reduce((sum, { widget }) => sum + secondsFor(flowContext, widget), pages.length * SECONDS.page)
  return {
    pages: pages.length,
    widgets: widgetElements.length,
    required: widgetElements.filter(isWidgetInputRequired).length,
    conditions: [...pages.map(({ page }) => page), ...widgetElements.map(({ widget }) => widget)].filter(
      ({ showWhen }) => showWhen !== null,
    ).length,
    branches: listTestRunGoals(config, flow).filter(isGoalDecidedByFlowRules).length,
    estimatedMinutes: Math.ceil(seconds / 6) / 10,
  }
}

function secondsFor({ config }: FlowReviewContext, widget: Widget): number {
  if (widget.type === 'products' || widget.type === 'donation') return SECONDS.products
  if (widget.type === 'policy') return SECONDS.policy
  const long = widget.type === 'field' && findQuestionRules(config, widget.binding)?.type === 'longText'
  return countWidgetInputs(widget) * (long ? SECONDS.longText : SECONDS.input)
}
