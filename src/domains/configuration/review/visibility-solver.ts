import type { TagRule } from '../../../kernel/conditions.ts'
import { runTaskSynchronously, type CooperativeTask } from '../../../kernel/cooperative.ts'
import { listSingleConditions } from '../flow/answer-classes.ts'
import { indexConfigByCode, toProductAnswerKey } from '../flow/collected-answers.ts'
import { type FlowSolverModel, buildModelInParts } from '../flow/model.ts'
import { listTagsRequiredBeforeFlow } from '../flow/reachable-goals.ts'
import { type TestRunGoalSearchResult, searchAnswersForGoal } from '../flow/search.ts'
import type { TestRunGoalCondition } from '../flow/slices.ts'
import type { EventConfig, Flow, Product } from '../schema/event-config.ts'
import { Widget } from '../schema/widgets.ts'
import { getDirectoryConnectionFacts, type FlowReviewContext, type PageInFlow, cachePerReview, type WidgetInFlow } from './context.ts'

/** Whether a participant who meets the conditions can exist; null if the search limit was reached. */
type Verdict = boolean | null

export type VisibilityGoal = readonly [at: PageInFlow | WidgetInFlow, outcome: 'shown' | 'hidden']

/**
 * Decides which pages, widgets and offered products participants can see. Organizers may give any tag by hand. Checks that report something
 * as never visible therefore allow all tags. Checks that report a participant without a way forward allow only the tags needed to enter the
 * flow and those that the flow gives.
 */
export interface VisibilitySolver {
  canSee: (...wanted: readonly VisibilityGoal[]) => Verdict
  /** Whether a participant can see all these pages and widgets without any tag that an organizer gives by hand. */
  canSeeUntagged: (...wanted: readonly VisibilityGoal[]) => Verdict
  /**
   * Whether a participant can see all these pages and widgets if the tag rule of the first one is ignored, so that its condition alone
   * decides.
   */
  canSeeByCondition: (...wanted: readonly [VisibilityGoal, ...VisibilityGoal[]]) => Verdict
  /**
   * Whether a participant without tags given by hand can see the widget while it offers no product; if so, the tags that they have on
   * entry.
   */
  findEmptyOffer: (element: WidgetInFlow) => { tags: readonly string[] } | boolean | null
  /** Whether a participant without tags given by hand is offered `product`, but would not be offered `other` in the same widget. */
  canMissProduct: (element: WidgetInFlow, product: Product, other: Product) => Verdict
}

/**
 * Removes the periods of prices. Reviews check whether a price exists for the tags; ignoring the date keeps findings stable from day to
 * day.
 */
const withoutPricePeriods = cachePerReview(({ config }): EventConfig => ({
  ...config,
  products: config.products.map((product) => ({
    ...product,
    prices: product.prices.map((price) => ({ ...price, from: null, until: null })),
  })),
}))

const MAX_COMBINATIONS = 20_000
/**
 * Maximum attempts per solver query once a query was undecided: later queries are often too large as well, and the review must end in
 * time.
 */
const ATTEMPTS_AFTER_UNDECIDED = 500
/**
 * Work budgets in evaluated pages and widgets: for one solver query, which blocks the event loop, and for all flows together, for which the
 * caller waits.
 */
const MAX_WORK = 60_000
const MAX_TOTAL_WORK = 2_000_000
const remainingBudget = cachePerReview(() => ({ tries: MAX_COMBINATIONS, work: MAX_TOTAL_WORK }))

export function* buildVisibilitySolver(flowContext: FlowReviewContext): CooperativeTask<VisibilitySolver> {
  const { context, flow } = flowContext
  const config = withoutPricePeriods(context)
  const models = new Map<string, FlowSolverModel>()
  const idle = listIndependentShops(flowContext)
  const { timezone, now } = context.facts
  const modelling = (variant: Flow, kept?: WidgetInFlow) => {
    const light = removeShops(variant, new Set([...idle].filter((id) => id !== kept?.widget.id)))
    return buildModelInParts(config, light, { timezone, now, connections: getDirectoryConnectionFacts(context) })
  }
  const whole = yield* modelling(flow)
  const modelFor = (key: string, variant: () => Flow, kept?: WidgetInFlow): FlowSolverModel => {
    const model = models.get(key) ?? runTaskSynchronously(modelling(variant(), kept))
    models.set(key, model)
    return model
  }
  const solved = (
    model: FlowSolverModel,
    literals: readonly TestRunGoalCondition[],
    fixed?: ReadonlyMap<number, number>,
  ): TestRunGoalSearchResult => {
    const left = remainingBudget(context)
    if (left.work <= 0) return { status: 'undecided', work: 0 }
    const solution = searchAnswersForGoal(model, literals, { limit: left.tries, maxWork: MAX_WORK, ...(fixed ? { fixed } : {}) })
    left.work -= solution.work
    if (solution.status === 'undecided') left.tries = ATTEMPTS_AFTER_UNDECIDED
    return solution
  }
  const verdict = ({ status }: TestRunGoalSearchResult): Verdict => (status === 'undecided' ? null : status === 'solved')
  const literalsOf = (wanted: readonly VisibilityGoal[]) =>
    wanted.map(([at, outcome]): TestRunGoalCondition => ({ kind: 'visible', step: stepOf(flow, at), shown: outcome === 'shown' }))

  return {
    canSee: (...wanted) => verdict(solved(whole, literalsOf(wanted))),
    canSeeUntagged: (...wanted) => verdict(solved(whole, literalsOf(wanted), fixEntryTags(whole, flow.visibleForTags))),
    canSeeByCondition: (...wanted) => {
      const [[at]] = wanted
      const own = 'widget' in at ? at.widget : at.page
      const model = own.visibleForTags === null ? whole : removeTagRule(whole, stepOf(flow, at))
      return verdict(solved(model, literalsOf(wanted)))
    },
    findEmptyOffer: (element) => {
      // Minimum quantities are removed, because they would exclude participants whom another widget on the page offers too few products.
      const model = modelFor(`${element.path} empty`, () => removeMinimums(flow), element)
      const solution = solved(model, [{ kind: 'offersNothing', step: stepOf(flow, element) }], fixEntryTags(model, flow.visibleForTags))
      return solution.status === 'solved' ? { tags: listTagsRequiredBeforeFlow(model, solution.assignment) } : verdict(solution)
    },
    canMissProduct: (element, product, other) => {
      // Products with the same rules give the same result, so the solver's model is built only once for them.
      const rules = JSON.stringify([product.visibleForTags, other.visibleForTags, other.prices.map(({ tags }) => tags)])
      const model = modelFor(`${element.path} ${rules}`, () => addOffer(flow, element, product, other))
      return verdict(solved(model, [{ kind: 'offersNothing', step: stepOf(flow, element) + 1 }], fixEntryTags(model, flow.visibleForTags)))
    },
  }
}

/**
 * Lists the ids of product widgets whose products affect nothing else: they give no tags, no condition compares them, and no product that
 * does so requires them. The solver's model leaves these products out, of which there may be hundreds.
 */
function listIndependentShops({ widgetElements, flow, config }: FlowReviewContext): Set<string> {
  const leaves = flow.pages.flatMap((page) => [page, ...page.widgets]).flatMap(({ showWhen }) => listSingleConditions(showWhen))
  const compared = new Set(leaves.map(({ binding }) => binding))
  const sold = new Set(widgetElements.flatMap((element) => element.sold))
  const decisive = new Set([...sold].filter(({ code, addsTags }) => addsTags.length > 0 || compared.has(toProductAnswerKey(code))))
  for (const product of decisive) {
    for (const code of product.requires) {
      const needed = indexConfigByCode(config).products.get(code)
      if (needed) decisive.add(needed)
    }
  }
  const forEverybody = ({ visibleForTags, prices }: Product) => visibleForTags === null && prices.some(({ tags }) => tags.length === 0)
  const idle = widgetElements.filter(
    ({ widget, sold: own }) =>
      widget.type === 'products' && !own.some((product) => decisive.has(product)) && (widget.min === 0 || own.some(forEverybody)),
  )
  return new Set(idle.map(({ widget }) => widget.id))
}

const removeShops = (flow: Flow, idle: ReadonlySet<string>): Flow => ({
  ...flow,
  pages: flow.pages.map((page) => ({
    ...page,
    widgets: page.widgets.map((widget): Widget => {
      const { id, showWhen, visibleForTags, width } = widget
      return idle.has(id) ? { id, type: 'divider', showWhen, visibleForTags, width } : widget
    }),
  })),
})

/** Returns the index of a page or widget among the steps of the model, where each page precedes its widgets. */
function stepOf(flow: Flow, at: PageInFlow | WidgetInFlow): number {
  if ('widget' in at) return at.order + at.pageIndex + 1
  return flow.pages.slice(0, at.index).reduce((sum, { widgets }) => sum + widgets.length + 1, 0)
}

/** Removes the tag rule of one page or widget. Tags that no rule uses any more remain in the model without effect. */
const removeTagRule = (model: FlowSolverModel, step: number): FlowSolverModel => ({
  ...model,
  steps: model.steps.with(step, { ...model.steps[step]!, rule: null }),
})

const removeMinimums = (flow: Flow): Flow => ({
  ...flow,
  pages: flow.pages.map((page) => ({
    ...page,
    widgets: page.widgets.map((widget) => (widget.type === 'products' ? { ...widget, min: 0 } : widget)),
  })),
})

/**
 * Adds a widget directly after the given widget. It offers only the other product, and is visible to participants who are offered the first
 * product.
 */
function addOffer(flow: Flow, { widget, page }: WidgetInFlow, product: Product, other: Product): Flow {
  const offer = Widget.parse({ id: 'offer', type: 'products', products: [other.code] })
  // "+" is not valid in configured ids, so the id of this widget is unique.
  const shown = { ...offer, id: '+offer', showWhen: widget.showWhen, visibleForTags: product.visibleForTags ?? widget.visibleForTags }
  const widgets = page.widgets.toSpliced(page.widgets.indexOf(widget) + 1, 0, shown)
  return removeMinimums({ ...flow, pages: flow.pages.map((one) => (one === page ? { ...page, widgets } : one)) })
}

/** Restricts the tags that participants have before the flow to those needed to enter the flow. */
function fixEntryTags({ variables }: FlowSolverModel, rule: TagRule | null): Map<number, number> {
  const needed = rule === null || rule.type === 'none' ? [] : rule.required
  const fixed = new Map<number, number>()
  variables.forEach(({ tag }, index) => {
    if (tag === null) return
    if (!needed.includes(tag)) fixed.set(index, 0)
    else if (rule?.type === 'all') fixed.set(index, 1)
  })
  return fixed
}

/**
 * Lists the bindings (data fields) that only directories fill in. The solver treats them as unanswered, although their values may be known.
 */
export const listFieldsFilledOnlyByDirectory = ({ widgetElements }: FlowReviewContext, filled: ReadonlySet<string>): Set<string> => {
  const asked = new Set(widgetElements.flatMap(({ collected }) => collected.map(({ binding }) => binding)))
  return new Set([...filled].filter((binding) => !asked.has(binding)))
}
