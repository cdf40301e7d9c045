import type { ConfigOperation } from '../operations.ts'
import { listSingleConditions } from '../flow/answer-classes.ts'
import { FLOW_ENDING_WIDGET_TYPES, type Widget } from '../schema/widgets.ts'
import { hasVisibilityRule, isAnswerCollected, type FlowReviewContext, type PageInFlow, type WidgetInFlow } from './context.ts'

/** Functions that build edits to fix problems found in a flow review, in the form that config_set accepts. */

export const buildConfigSetOperation = (path: string, value: unknown): ConfigOperation => ({
  op: 'set',
  path,
  valueJson: JSON.stringify(value),
})
export const buildConfigRemoveOperation = (path: string): ConfigOperation => ({ op: 'remove', path })

// A suggestion adds a widget only up to these numbers, below the real limits, because several suggestions may be applied together.
const MAX_ON_PAGE = 90
const MAX_IN_DOCUMENT = 1950

export function canAddWidget({ config }: FlowReviewContext, { page }: PageInFlow): boolean {
  const widgets = config.flows.reduce((sum, flow) => sum + flow.pages.reduce((n, { widgets: own }) => n + own.length, 0), 0)
  return page.widgets.length < MAX_ON_PAGE && widgets < MAX_IN_DOCUMENT
}

/** Reserves a widget id that neither a widget of the flow nor another suggestion of this review uses. */
export function reserveWidgetId({ ids }: FlowReviewContext, wanted: string): string {
  const stem = wanted.slice(0, 28).replace(/-+$/, '')
  let id = stem
  for (let n = 2; ids.has(id); n++) id = `${stem}-${n}`
  ids.add(id)
  return id
}

type Position = { before: string } | { after: string } | { at: number } | Record<string, never>

/** Inserts a widget into a page; null if the page is full. */
export function insertWidget(
  flowContext: FlowReviewContext,
  page: PageInFlow,
  widget: { type: Widget['type']; [key: string]: unknown },
  id: string,
  position: Position,
): ConfigOperation | null {
  if (!canAddWidget(flowContext, page)) return null
  return { op: 'insert', path: `${page.path}/widgets/${reserveWidgetId(flowContext, id)}`, valueJson: JSON.stringify(widget), ...position }
}

const CONTENT: ReadonlySet<Widget['type']> = new Set([
  'heading',
  'text',
  'notice',
  'image',
  'video',
  'divider',
  'spacer',
  'accordion',
  'map',
  'countdown',
])

export const isContentWidget = ({ type }: Widget) => CONTENT.has(type)

/** Returns the position before the first question of the page, after its introductory content. */
export function findPositionBeforeQuestions({ page }: PageInFlow): Position {
  const first = page.widgets.find((widget) => !isContentWidget(widget))
  return first ? { before: first.id } : {}
}

/** Finds the first page that everyone sees and that does not end the flow. */
export const findFirstPageForEveryone = ({ pages }: FlowReviewContext): PageInFlow | null =>
  pages.find(({ page }) => !hasVisibilityRule(page) && !page.widgets.some(({ type }) => FLOW_ENDING_WIDGET_TYPES.includes(type))) ?? null

/** Finds the last page that everyone sees before the end of the flow. */
export const findLastPageForEveryone = ({ pages }: FlowReviewContext, fits: (page: PageInFlow) => boolean): PageInFlow | null =>
  pages.findLast((one) => {
    const { widgets } = one.page
    const ends =
      widgets.some(({ type }) => FLOW_ENDING_WIDGET_TYPES.includes(type)) ||
      (one.index === pages.length - 1 && widgets.every(isContentWidget))
    return !ends && !hasVisibilityRule(one.page) && widgets.length > 0 && fits(one)
  }) ?? null

/** Removes a widget, and its page if nothing else is on it; null if a condition depends on its answers. */
export function buildWidgetRemoval(flowContext: FlowReviewContext, element: WidgetInFlow): ConfigOperation[] | null {
  const { widgetElements, pages, flow } = flowContext
  const own = new Set(element.collected.map(({ binding }) => binding))
  const elsewhere = new Set(
    widgetElements.filter((other) => other !== element).flatMap(({ collected }) => collected.map(({ binding }) => binding)),
  )
  const leaves = flow.pages.flatMap((page) => [page, ...page.widgets]).flatMap(({ showWhen }) => listSingleConditions(showWhen))
  if (leaves.some(({ binding }) => isAnswerCollected(binding, own) && !isAnswerCollected(binding, elsewhere))) return null
  const alone = element.page.widgets.length === 1 && element.pageIndex < pages.length - 1 && !isListed(flowContext, element.page.code)
  return [buildConfigRemoveOperation(alone ? element.pagePath : element.path)]
}

const isListed = ({ widgetElements }: FlowReviewContext, page: string) =>
  widgetElements.some(({ widget }) => widget.type === 'answersReview' && (widget.pages?.includes(page) ?? false))
