import type { ConfigOperation } from '../operations.ts'
import { moveFlowElement, countFlowSequenceProblems } from './order.ts'
import {
  capitalize,
  createErrorFinding,
  type FlowFinding,
  listFieldsFilledByDirectories,
  joinWithAnd,
  type FlowReviewContext,
  type WidgetInFlow,
  describeWidgetAndPage,
  createWarningFinding,
} from './context.ts'

/** Review checks F27 and F28: whether directory lookups work, and run before their tags are needed. */
export const reviewDirectories = (flowContext: FlowReviewContext): FlowFinding[] => [
  ...checkConnections(flowContext),
  ...checkLateLookups(flowContext),
  ...checkLateDirectory(flowContext),
]

const CONNECTION_PROBLEMS: Record<string, string> = {
  draft: 'has not been tested since its last change — run test_directory_connection',
  failing: 'is not responding at the moment',
  disabled: 'is disabled',
}

function checkConnections(flowContext: FlowReviewContext): FlowFinding[] {
  const { widgetElements, flow, context, path } = flowContext
  const used = [
    ...(flow.directory === null ? [] : [{ code: flow.directory, at: `${path}/directory` }]),
    ...widgetElements.flatMap((element) =>
      element.widget.type === 'membershipLookup' ? [{ code: element.widget.connection, at: `${element.path}/connection` }] : [],
    ),
  ]
  return used.flatMap(({ code, at }) => {
    const connection = context.externalRecords.connections.get(code)
    if (connection?.status === 'ready') return []
    const state = connection ? CONNECTION_PROBLEMS[connection.status] : 'does not exist'
    const report = connection?.onFailure === 'allow' ? createWarningFinding : createErrorFinding
    return [report('F27', at, `The directory connection "${code}" used by the flow "${flow.name}" ${state}.`)]
  })
}

/** Finds the first widget of the flow with a product whose price depends on one of these tags. */
function firstPricedBy({ widgetElements }: FlowReviewContext, tags: ReadonlySet<string>): WidgetInFlow | undefined {
  return widgetElements.find(({ sold }) => sold.some(({ prices }) => prices.some((price) => price.tags.some((tag) => tags.has(tag)))))
}

function checkLateLookups(flowContext: FlowReviewContext): FlowFinding[] {
  return flowContext.widgetElements.flatMap((element) => {
    const { widget } = element
    if (widget.type !== 'membershipLookup') return []
    const tags = new Set([...widget.memberTags, ...(flowContext.context.directoryOutputs.get(widget.connection)?.tags ?? [])])
    const priced = firstPricedBy(flowContext, tags)
    if (!priced || priced.order > element.order) return []
    const message = `${capitalize(describeWidgetAndPage(flowContext, element))} comes after ${describeWidgetAndPage(flowContext, priced)}, whose prices depend on the ${tags.size === 1 ? 'tag' : 'tags'} ${joinWithAnd([...tags])} it gives.`
    return [createWarningFinding('F28', element.path, message, movedBefore(flowContext, element, priced))]
  })
}

function movedBefore({ config, flow, context }: FlowReviewContext, element: WidgetInFlow, priced: WidgetInFlow): ConfigOperation[] | null {
  const filled = listFieldsFilledByDirectories(context, flow)
  const next = moveFlowElement.widget(flow, element.widget, { before: priced.widget })
  if (countFlowSequenceProblems(config, next, filled) > countFlowSequenceProblems(config, flow, filled)) return null
  const elsewhere = priced.page === element.page ? {} : { to: `${priced.pagePath}/widgets` }
  return [{ op: 'move', path: element.path, before: priced.widget.id, ...elsewhere }]
}

/** Reports a flow whose directory lookup, which runs after the page with the email, comes after prices that depend on it. */
function checkLateDirectory(flowContext: FlowReviewContext): FlowFinding[] {
  const { flow, context, widgetElements, path } = flowContext
  if (flow.directory === null) return []
  const tags = new Set(context.directoryOutputs.get(flow.directory)?.tags)
  const priced = firstPricedBy(flowContext, tags)
  const email = widgetElements.find(({ collected }) => collected.some(({ binding }) => binding === '@participant.email'))
  if (!priced || !email || email.pageIndex < priced.pageIndex) return []
  const message = `The directory lookup runs after ${describeWidgetAndPage(flowContext, email)}, which does not come before ${describeWidgetAndPage(flowContext, priced)}, whose prices depend on the ${tags.size === 1 ? 'tag' : 'tags'} ${joinWithAnd([...tags])} it gives.`
  return [createWarningFinding('F28', `${path}/directory`, message)]
}
