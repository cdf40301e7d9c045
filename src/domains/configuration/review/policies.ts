import type { ConfigOperation } from '../operations.ts'
import { moveFlowElement, countFlowSequenceProblems } from './order.ts'
import { insertWidget, findLastPageForEveryone } from './suggestions.ts'
import {
  capitalize,
  createErrorFinding,
  type FlowFinding,
  listFieldsFilledByDirectories,
  hasVisibilityRule,
  type FlowReviewContext,
  type WidgetInFlow,
  describeWidgetAndPage,
  createWarningFinding,
} from './context.ts'

/** Review checks F25 and F26: whether policies are accepted, and before the payment. */
export function reviewPolicies(flowContext: FlowReviewContext): FlowFinding[] {
  const { widgetElements, config } = flowContext
  const asked = new Set(widgetElements.flatMap(({ widget }) => (widget.type === 'policy' ? [widget.policy] : [])))
  const payment = widgetElements.find(({ widget }) => widget.type === 'payment')
  const unasked = config.policies.filter(({ code, required, retired }) => required && !retired && !asked.has(code))
  const late = widgetElements.filter(({ widget, order }) => widget.type === 'policy' && payment && order > payment.order)
  return [
    ...unasked.map(({ code, title }) =>
      createErrorFinding(
        'F25',
        `${flowContext.path}/pages`,
        `All participants must accept the policy "${title}", but the flow "${flowContext.flow.name}" never asks for it.`,
        suggestPolicy(flowContext, code, payment),
      ),
    ),
    ...late.map((element) =>
      createWarningFinding(
        'F26',
        element.path,
        `${capitalize(describeWidgetAndPage(flowContext, element))} comes after the payment; participants should accept it before they pay.`,
        movedBefore(flowContext, element, payment!),
      ),
    ),
  ]
}

/**
 * Inserts a policy widget before the payment or, if that page is unsuitable, at the end of the last page that everyone sees before the
 * payment.
 */
function suggestPolicy(flowContext: FlowReviewContext, policy: string, payment: WidgetInFlow | undefined): ConfigOperation[] | null {
  const free = payment && !hasVisibilityRule(payment.page) ? flowContext.pages[payment.pageIndex] : undefined
  // The policy is not added to a page that contains only the payment widget, because a later suggestion may remove that page.
  const shared = free && free.page.widgets.length > 1
  const page = shared ? free : (findLastPageForEveryone(flowContext, ({ index }) => !payment || index < payment.pageIndex) ?? free)
  const position = page && page === free ? { at: page.page.widgets.indexOf(payment!.widget) } : {}
  const operation = page && insertWidget(flowContext, page, { type: 'policy', policy }, `policy-${policy}`, position)
  return operation ? [operation] : null
}

function movedBefore({ config, flow, context }: FlowReviewContext, element: WidgetInFlow, payment: WidgetInFlow): ConfigOperation[] | null {
  const filled = listFieldsFilledByDirectories(context, flow)
  const next = moveFlowElement.widget(flow, element.widget, { before: payment.widget })
  if (countFlowSequenceProblems(config, next, filled) >= countFlowSequenceProblems(config, flow, filled)) return null
  const elsewhere = payment.page === element.page ? {} : { to: `${payment.pagePath}/widgets` }
  return [{ op: 'move', path: element.path, before: payment.widget.id, ...elsewhere }]
}
