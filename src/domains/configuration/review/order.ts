import type { Condition } from '../../../kernel/conditions.ts'
import { listConditionQuestionNames } from '../../../kernel/conditions.ts'
import { listCollectedAnswers, listSoldProducts } from '../flow/collected-answers.ts'
import type { EventConfig, Flow, FlowPage } from '../schema/event-config.ts'
import { FLOW_ENDING_WIDGET_TYPES, type Widget } from '../schema/widgets.ts'
import { listFieldsFilledByDirectories, isAnswerCollected, type FlowReviewContext, type PageInFlow, type WidgetInFlow } from './context.ts'

/** The order of a flow's pages and widgets, before and after a move. */

/** The bindings (questions and data fields) whose value is known before the first question. */
const KNOWN_FROM_THE_START: ReadonlySet<string> = new Set(['@participant.tags', '@flow.slug'])

export interface ElementWithCondition {
  at: PageInFlow | WidgetInFlow
  condition: Condition
  /** The bindings (questions) that are asked only after the condition is evaluated (`late`), and those that are never asked (`never`). */
  late: readonly string[]
  never: readonly string[]
}

/** Lists every page and widget with a condition, and the bindings (questions) whose answers the condition uses too early. */
export function listConditionalPagesAndWidgets(flowContext: FlowReviewContext): ElementWithCondition[] {
  const { pages, widgetElements, config, flow, context } = flowContext
  const early = findEarlyConditions(config, flow, listFieldsFilledByDirectories(context, flow))
  const all: (PageInFlow | WidgetInFlow)[] = pages.flatMap((page) => [
    page,
    ...widgetElements.filter((element) => element.pageIndex === page.index),
  ])
  return all.flatMap((at) => {
    const own = 'widget' in at ? at.widget : at.page
    if (own.showWhen === null) return []
    return [{ at, condition: own.showWhen, ...(early.get(own) ?? { late: [], never: [] }) }]
  })
}

type Ruled = FlowPage | Widget

/** Finds conditions on answers that are not known yet. An answer is known after its widget. */
function findEarlyConditions(
  config: EventConfig,
  flow: Flow,
  filled: ReadonlySet<string>,
): Map<Ruled, { late: string[]; never: string[] }> {
  const everything = new Set([
    ...KNOWN_FROM_THE_START,
    ...filled,
    ...flow.pages.flatMap((page) => page.widgets.flatMap((widget) => listWidgetBindings(config, widget))),
  ])
  const known = new Set([...KNOWN_FROM_THE_START, ...filled])
  const found = new Map<Ruled, { late: string[]; never: string[] }>()
  const flowContext = (own: Ruled): void => {
    const unknown = listConditionQuestionNames(own.showWhen).filter((binding) => !isAnswerCollected(binding, known))
    if (unknown.length === 0) return
    found.set(own, {
      late: unknown.filter((binding) => isAnswerCollected(binding, everything)),
      never: unknown.filter((binding) => !isAnswerCollected(binding, everything)),
    })
  }
  for (const page of flow.pages) {
    flowContext(page)
    for (const widget of page.widgets) {
      flowContext(widget)
      for (const binding of listWidgetBindings(config, widget)) known.add(binding)
    }
  }
  return found
}

const listWidgetBindings = (config: EventConfig, widget: Widget) => listCollectedAnswers(config, widget).map(({ binding }) => binding)

/**
 * Counts conditions, products, policies and final pages that come too early or too late. A suggested move must not increase this number.
 */
export function countFlowSequenceProblems(config: EventConfig, flow: Flow, filled: ReadonlySet<string>): number {
  const widgets = flow.pages.flatMap((page) => page.widgets)
  const payment = widgets.findIndex(({ type }) => type === 'payment')
  const lastPayment = widgets.findLastIndex(({ type }) => type === 'payment')
  const late = [...findEarlyConditions(config, flow, filled).values()].reduce((sum, own) => sum + own.late.length, 0)
  const unpaid =
    payment < 0 ? 0 : widgets.filter((widget, index) => index > lastPayment && listSoldProducts(config, widget).length > 0).length
  const unagreed = payment < 0 ? 0 : widgets.filter(({ type }, index) => type === 'policy' && index > payment).length
  const lastPage = flow.pages.length - 1
  const astray = flow.pages.filter(
    (page, index) => index < lastPage && page.widgets.some(({ type }) => FLOW_ENDING_WIDGET_TYPES.includes(type)),
  ).length
  return late + unpaid + unagreed + astray
}

/** Functions that return the flow after moving a page or widget. */
export const moveFlowElement = {
  page: (flow: Flow, page: FlowPage, after: FlowPage): Flow => {
    const rest = flow.pages.filter((other) => other !== page)
    return { ...flow, pages: rest.toSpliced(rest.indexOf(after) + 1, 0, page) }
  },
  widget: (flow: Flow, widget: Widget, target: { after: Widget } | { before: Widget }): Flow => ({
    ...flow,
    pages: flow.pages.map((page) => {
      const rest = page.widgets.filter((other) => other !== widget)
      const anchor = rest.indexOf('after' in target ? target.after : target.before)
      return { ...page, widgets: anchor < 0 ? rest : rest.toSpliced('after' in target ? anchor + 1 : anchor, 0, widget) }
    }),
  }),
}
