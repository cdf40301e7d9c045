import type { CooperativeTask } from '../../../kernel/cooperative.ts'
import type { ConfigOperation } from '../operations.ts'
import { FLOW_ENDING_WIDGET_TYPES } from '../schema/widgets.ts'
import { listConditionalPagesAndWidgets } from './order.ts'
import { canAddWidget, insertWidget, isContentWidget, buildConfigRemoveOperation } from './suggestions.ts'
import {
  isWidgetInputRequired,
  capitalize,
  createErrorFinding,
  type FlowFinding,
  listFieldsFilledByDirectories,
  hasVisibilityRule,
  createInfoFinding,
  type FlowReviewContext,
  describePage,
  type PageInFlow,
  type WidgetInFlow,
  describeWidgetAndPage,
  joinFirstItems,
  createWarningFinding,
} from './context.ts'
import { type VisibilitySolver, listFieldsFilledOnlyByDirectory, type VisibilityGoal } from './visibility-solver.ts'
import { countWidgetInputs } from './stats.ts'

/** Review checks F02 to F06, F13 and F16: which pages and widgets participants can see. */
export function* reviewReachability(
  flowContext: FlowReviewContext,
  solver: VisibilitySolver,
  broken: ReadonlySet<string>,
): CooperativeTask<FlowFinding[]> {
  const unknown = listFieldsFilledOnlyByDirectory(flowContext, listFieldsFilledByDirectories(flowContext.context, flowContext.flow))
  const open = ({ page }: PageInFlow) => !hasVisibilityRule(page) || mentions(page.showWhen, unknown)
  const seen = new Map(flowContext.pages.map((page) => [page.index, open(page) || solver.canSee([page, 'shown'])]))
  const shown = ({ index }: PageInFlow) => seen.get(index) ?? null
  const reached = flowContext.pages.filter((page) => shown(page) !== false)
  const isReported = (path: string) => broken.has(`${path}/showWhen`)
  const undecided = { F02: [] as string[], F03: [] as string[], F04: [] as string[] }

  const findings: FlowFinding[] = []
  for (const page of flowContext.pages) {
    const verdict = shown(page)
    if (verdict === null) undecided.F04.push(describePage(page.page))
    if (verdict === false && !isReported(page.path))
      findings.push(
        createErrorFinding('F04', page.path, `${capitalize(describePage(page.page))} can never be reached: its rules exclude each other.`),
      )
  }
  for (const element of flowContext.widgetElements) {
    yield
    const page = flowContext.pages[element.pageIndex]!
    if (!hasVisibilityRule(element.widget) || !isWidgetInputRequired(element) || isReported(element.path) || shown(page) === false) continue
    if (mentions(element.widget.showWhen, unknown) || mentions(page.page.showWhen, unknown)) continue
    const verdict = solver.canSee([element, 'shown'])
    if (verdict === null) undecided.F02.push(describeWidgetAndPage(flowContext, element))
    if (verdict === false)
      findings.push(
        createErrorFinding(
          'F02',
          element.path,
          `${capitalize(describeWidgetAndPage(flowContext, element))} is required, but can never be visible.`,
        ),
      )
  }
  findings.push(...(yield* checkAlwaysTrue(flowContext, solver, { isReported, reached, unknown, undecided: undecided.F03 })))
  for (const [code, names] of Object.entries(undecided)) findings.push(...reportUndecidedConditions(flowContext, code, names))
  return [
    ...findings,
    ...checkEnd(flowContext, solver, reached),
    ...checkTerminalPosition(flowContext),
    ...(yield* checkLength(flowContext, solver, reached)),
    ...(yield* checkEmptyPages(flowContext, solver, reached)),
  ]
}

/** Reports, as a single finding, all conditions and offered products about which the solver reached no result within its limit. */
export const reportUndecidedConditions = ({ path }: FlowReviewContext, code: string, names: readonly string[]): FlowFinding[] =>
  names.length === 0
    ? []
    : [
        createInfoFinding(
          code,
          `${path}/pages`,
          `undecided: there are too many combinations of answers and tags to check ${joinFirstItems(names)}.`,
        ),
      ]

interface ReachabilityFacts {
  isReported: (path: string) => boolean
  reached: readonly PageInFlow[]
  unknown: ReadonlySet<string>
  undecided: string[]
}

function* checkAlwaysTrue(
  flowContext: FlowReviewContext,
  solver: VisibilitySolver,
  { isReported, reached, unknown, undecided }: ReachabilityFacts,
): CooperativeTask<FlowFinding[]> {
  const open = new Set(reached.map(({ page }) => page))
  const findings: FlowFinding[] = []
  for (const { at, condition } of listConditionalPagesAndWidgets(flowContext)) {
    yield
    const path = `${at.path}/showWhen`
    if (isReported(at.path) || !open.has(at.page) || mentions(condition, unknown)) continue
    const around: VisibilityGoal[] = 'widget' in at ? [[flowContext.pages[at.pageIndex]!, 'shown']] : []
    const spared = solver.canSeeByCondition([at, 'hidden'], ...around)
    const owner = 'widget' in at ? describeWidgetAndPage(flowContext, at) : describePage(at.page)
    if (spared === null) undecided.push(owner)
    if (spared === false)
      findings.push(
        createWarningFinding('F03', path, `The condition of ${owner} is always true and decides nothing.`, [
          buildConfigRemoveOperation(path),
        ]),
      )
  }
  return findings
}

const mentions = (condition: unknown, bindings: ReadonlySet<string>) =>
  bindings.size > 0 && [...bindings].some((binding) => JSON.stringify(condition).includes(`"${binding}"`))

const isTerminal = ({ widget }: WidgetInFlow) => FLOW_ENDING_WIDGET_TYPES.includes(widget.type)

function checkEnd(flowContext: FlowReviewContext, solver: VisibilitySolver, reached: readonly PageInFlow[]): FlowFinding[] {
  const last = reached.at(-1)
  if (!last) return []
  const ends = flowContext.widgetElements.filter((element) => element.pageIndex === last.index && isTerminal(element))
  if (ends.length === 0) {
    const message = `The flow "${flowContext.flow.name}" ends on ${describePage(last.page)} without a confirmation or redirect.`
    return [createErrorFinding('F05', `${flowContext.path}/pages`, message, suggestEnd(flowContext, last))]
  }
  const always = !hasVisibilityRule(last.page) && ends.some(({ widget }) => !hasVisibilityRule(widget))
  if (always || solver.canSeeUntagged(...ends.map((element): VisibilityGoal => [element, 'hidden'])) !== true) return []
  return [
    createErrorFinding(
      'F05',
      `${flowContext.path}/pages`,
      `Some participants finish the flow "${flowContext.flow.name}" without seeing a confirmation or redirect: those on ${describePage(last.page)} are hidden from them.`,
    ),
  ]
}

/** Suggests adding a confirmation widget: to the last page if everyone sees it and it has no questions, otherwise on a new last page. */
function suggestEnd(flowContext: FlowReviewContext, last: PageInFlow): ConfigOperation[] | null {
  const { pages, widgetElements, flow } = flowContext
  if (last.index < pages.length - 1 || widgetElements.some(isTerminal)) return null
  const widget = { type: 'confirmation' as const, body: '<p>Thank you. Your registration is complete.</p>' }
  if (!hasVisibilityRule(last.page) && last.page.widgets.every(isContentWidget)) {
    const operation = insertWidget(flowContext, last, widget, 'confirmation', {})
    return operation && [operation]
  }
  if (pages.length >= 40 || !canAddWidget(flowContext, last)) return null
  const codes = new Set(flow.pages.map(({ code }) => code))
  const titles = new Set(flow.pages.map(({ title }) => title?.toLowerCase()))
  const code = ['confirmation', 'complete', 'thank-you', 'end'].find((one) => !codes.has(one))
  const title = ['Confirmation', 'Registration complete', 'Thank you', 'Done'].find((one) => !titles.has(one.toLowerCase()))
  if (code === undefined || title === undefined) return null
  return [
    {
      op: 'insert',
      path: `${flowContext.path}/pages/${code}`,
      valueJson: JSON.stringify({ title, widgets: [{ id: 'confirmation', ...widget }] }),
    },
  ]
}

function checkTerminalPosition(flowContext: FlowReviewContext): FlowFinding[] {
  return flowContext.widgetElements.filter(isTerminal).flatMap((element) => {
    const after = element.page.widgets.slice(element.page.widgets.indexOf(element.widget) + 1)
    if (after.every(({ type }) => FLOW_ENDING_WIDGET_TYPES.includes(type))) return []
    return [
      createWarningFinding(
        'F06',
        element.path,
        `${capitalize(describeWidgetAndPage(flowContext, element))} ends the flow, but other widgets follow below it.`,
        [{ op: 'move', path: element.path }],
      ),
    ]
  })
}

const MAX_INPUTS = 15
const MAX_PAGES = 8

function* checkLength(
  flowContext: FlowReviewContext,
  solver: VisibilitySolver,
  reached: readonly PageInFlow[],
): CooperativeTask<FlowFinding[]> {
  const long: FlowFinding[] = []
  for (const page of reached) {
    const widgetElements = flowContext.widgetElements
      .filter((element) => element.pageIndex === page.index)
      .map((element) => ({ at: element, ruled: hasVisibilityRule(element.widget), weight: countWidgetInputs(element.widget) }))
    const most = yield* countMostSeen(
      solver,
      [{ at: page, ruled: hasVisibilityRule(page.page), weight: 0 }, ...widgetElements.filter(({ weight }) => weight > 0)],
      MAX_INPUTS,
    )
    if (most > MAX_INPUTS)
      long.push(
        createWarningFinding(
          'F13',
          page.path,
          `${capitalize(describePage(page.page))} asks up to ${most} questions on one page; more than ${MAX_INPUTS} are tiring — split them over two pages.`,
        ),
      )
  }
  const pages = yield* countMostSeen(
    solver,
    reached.map((page) => ({ at: page, ruled: hasVisibilityRule(page.page), weight: 1 })),
    MAX_PAGES,
  )
  const many =
    pages > MAX_PAGES
      ? [
          createWarningFinding(
            'F13',
            `${flowContext.path}/pages`,
            `The flow "${flowContext.flow.name}" has up to ${pages} pages for one participant; with more than ${MAX_PAGES} many do not finish.`,
          ),
        ]
      : []
  return [...long, ...many]
}

interface Weighed {
  at: PageInFlow | WidgetInFlow
  ruled: boolean
  weight: number
}

/**
 * Computes how many pages or widgets one participant sees at least: all without a visibility rule, and those others that can be visible
 * together with the ones counted before. This lower bound is sufficient to detect that a participant sees too many.
 */
function* countMostSeen(solver: VisibilitySolver, all: readonly Weighed[], enough: number): CooperativeTask<number> {
  const sum = (some: readonly Weighed[]) => some.reduce((total, { weight }) => total + weight, 0)
  if (sum(all) <= enough) return sum(all)
  const always = all.filter(({ ruled }) => !ruled)
  const together: Weighed[] = []
  for (const one of all.filter(({ ruled }) => ruled)) {
    yield
    const wanted = [...together, one].map(({ at }): VisibilityGoal => [at, 'shown'])
    if (solver.canSee(...wanted) === true) together.push(one)
  }
  return sum(always) + sum(together)
}

function* checkEmptyPages(
  flowContext: FlowReviewContext,
  solver: VisibilitySolver,
  reached: readonly PageInFlow[],
): CooperativeTask<FlowFinding[]> {
  const findings: FlowFinding[] = []
  for (const page of reached) {
    yield
    const { widgets } = page.page
    if (widgets.length === 0)
      findings.push(
        createInfoFinding('F16', page.path, `${capitalize(describePage(page.page))} is empty.`, suggestPageRemoval(flowContext, page)),
      )
    if (!widgets.every(hasVisibilityRule) || widgets.length === 0) continue
    const widgetElements = flowContext.widgetElements.filter((element) => element.pageIndex === page.index)
    const empty = solver.canSee([page, 'shown'], ...widgetElements.map((element): VisibilityGoal => [element, 'hidden']))
    if (empty === true) findings.push(createInfoFinding('F16', page.path, `Some participants see ${describePage(page.page)} empty.`))
  }
  return findings
}

function suggestPageRemoval({ pages, widgetElements }: FlowReviewContext, { page, index, path }: PageInFlow): ConfigOperation[] | null {
  const listed = widgetElements.some(({ widget }) => widget.type === 'answersReview' && (widget.pages?.includes(page.code) ?? false))
  const plain = page.description === null && !hasVisibilityRule(page)
  return plain && !listed && index < pages.length - 1 ? [buildConfigRemoveOperation(path)] : null
}
