import { listConditionQuestionNames } from '../../../kernel/conditions.ts'
import { toPointer } from '../pointers.ts'
import type { EventConfig, Flow } from '../schema/event-config.ts'
import {
  buildDirectoryOutcomeAnswerKey,
  indexConfigByCode,
  LOOKUP_OUTCOMES,
  buildLookupOutcomeAnswerKey,
  type LookupOutcome,
  listSoldProducts,
} from './collected-answers.ts'
import type { FlowEvaluation } from './walk.ts'

/** One outcome of a flow that a test participant should reach, such as that a page is hidden or a product is bought. */
export type TestRunGoal = { path: string } & (
  | { kind: 'visibility'; page: string; widget: string | null; outcome: 'shown' | 'hidden' }
  | { kind: 'lookup'; binding: string; outcome: LookupOutcome }
  | { kind: 'product'; product: string; outcome: 'bought' }
  | { kind: 'price'; product: string; row: number; outcome: 'used'; several: boolean }
  | { kind: 'choice'; binding: string; choice: string; outcome: 'chosen' }
  | { kind: 'locale'; locale: string; outcome: 'used' }
)

/** Whether the flow's own rules decide if a goal is reached: visibility rules, or the rules that choose one of several prices. */
export const isGoalDecidedByFlowRules = (goal: TestRunGoal) => goal.kind === 'visibility' || (goal.kind === 'price' && goal.several)

export const toPagePointer = (flow: Flow, page: string) => toPointer(['flows', flow.slug, 'pages', page])
export const toWidgetPointer = (flow: Flow, page: string, widget: string) => `${toPagePointer(flow, page)}${toPointer(['widgets', widget])}`

/**
 * Lists the goals of a flow (outcomes that test participants should reach) in planning order: visibility, lookups, purchases, choices,
 * languages.
 */
export function listTestRunGoals(config: EventConfig, flow: Flow, locales: readonly string[] = []): TestRunGoal[] {
  return [
    ...visibilityGoals(flow),
    ...lookupGoals(flow),
    ...productGoals(config, flow),
    ...choiceGoals(config, flow),
    ...localeGoals(flow, locales),
  ]
}

type Ruled = Pick<Flow['pages'][number], 'showWhen' | 'visibleForTags'>
const hasRule = ({ showWhen, visibleForTags }: Ruled) => showWhen !== null || visibleForTags !== null

// Lists two goals for every page and widget with a visibility rule: one test participant sees it, and one does not.
function visibilityGoals(flow: Flow): TestRunGoal[] {
  const both = (path: string, page: string, widget: string | null): TestRunGoal[] =>
    (['shown', 'hidden'] as const).map((outcome) => ({ kind: 'visibility', path, page, widget, outcome }))
  return flow.pages.flatMap((page) => [
    ...(hasRule(page) ? both(toPagePointer(flow, page.code), page.code, null) : []),
    ...page.widgets.filter(hasRule).flatMap(({ id }) => both(toWidgetPointer(flow, page.code, id), page.code, id)),
  ])
}

function lookupGoals(flow: Flow): TestRunGoal[] {
  const all = (path: string, binding: string): TestRunGoal[] =>
    LOOKUP_OUTCOMES.map((outcome) => ({ kind: 'lookup', path, binding, outcome }))
  const widgets = flow.pages.flatMap((page) =>
    page.widgets
      .filter(({ type }) => type === 'membershipLookup')
      .flatMap(({ id }) => all(toWidgetPointer(flow, page.code, id), buildLookupOutcomeAnswerKey(id))),
  )
  const own =
    flow.directory === null ? [] : all(toPointer(['flows', flow.slug, 'directory']), buildDirectoryOutcomeAnswerKey(flow.directory))
  return [...own, ...widgets]
}

function productGoals(config: EventConfig, flow: Flow): TestRunGoal[] {
  const widgets = flow.pages.flatMap((page) => page.widgets)
  const sold = new Set(widgets.flatMap((widget) => listSoldProducts(config, widget)))
  return [...sold].flatMap(({ code, prices, category }): TestRunGoal[] => {
    const path = toPointer(['products', code])
    const rows = category === 'donation' ? [] : prices.map((_, row) => row)
    const several = rows.length > 1
    return [
      { kind: 'product', path, product: code, outcome: 'bought' },
      ...rows.map((row): TestRunGoal => ({ kind: 'price', path: `${path}/prices/${row}`, product: code, row, outcome: 'used', several })),
    ]
  })
}

function choiceGoals(config: EventConfig, flow: Flow): TestRunGoal[] {
  const decisive = new Set(
    flow.pages.flatMap((page) => [page, ...page.widgets]).flatMap(({ showWhen }) => listConditionQuestionNames(showWhen)),
  )
  const fields = indexConfigByCode(config).fields
  const asked = flow.pages.flatMap((page) => page.widgets).filter((widget) => widget.type === 'field')
  return [...new Set(asked.map(({ binding }) => binding))].flatMap((binding): TestRunGoal[] => {
    const field = binding.startsWith('@custom.') && decisive.has(binding) ? fields.get(binding.slice('@custom.'.length)) : undefined
    const offered = (code: string) => asked.some((widget) => widget.binding === binding && (widget.choices?.includes(code) ?? true))
    const live = (field?.choices ?? []).filter(({ code, retired }) => !retired && offered(code))
    return live.map(({ code: choice }) => {
      const path = toPointer(['customFields', field!.code, 'choices', choice])
      return { kind: 'choice', path, binding, choice, outcome: 'chosen' }
    })
  })
}

const localeGoals = (flow: Flow, locales: readonly string[]): TestRunGoal[] =>
  locales.map((locale) => ({ kind: 'locale', path: `${toPointer(['flows', flow.slug])}#${locale}`, locale, outcome: 'used' }))

/**
 * Returns a function that checks whether a test participant has reached a goal of the flow. A participant whom a directory lookup blocks
 * reaches no goal on later pages.
 */
export function createTestRunGoalCheck(flow: Flow): (walk: FlowEvaluation, locale?: string | null) => (goal: TestRunGoal) => boolean {
  const pageIndex = new Map(flow.pages.map(({ code }, index) => [code, index]))
  return (walk, locale = null) => {
    const stop = walk.missing.find(({ why }) => why === 'lookupFailed')
    const last = stop ? (pageIndex.get(stop.page) ?? 0) : flow.pages.length
    const pages = walk.pages.slice(0, last + 1)
    const shown = new Map(pages.map((page) => [page.code, new Map(page.widgets.map((widget) => [widget.id, widget.visible]))]))
    const pageShown = new Map(pages.map((page) => [page.code, page.visible]))
    const bought = new Map(
      pages.flatMap(({ widgets }) =>
        widgets.flatMap(({ products }) => products.filter(({ quantity }) => quantity > 0).map((one) => [one.code, one])),
      ),
    )
    return (goal) => {
      if (goal.kind === 'visibility') {
        const visible = goal.widget === null ? pageShown.get(goal.page) : shown.get(goal.page)?.get(goal.widget)
        return visible === (goal.outcome === 'shown')
      }
      if (goal.kind === 'lookup') return walk.answer(goal.binding) === goal.outcome
      if (goal.kind === 'product') return !stop && bought.has(goal.product)
      if (goal.kind === 'price') return !stop && bought.get(goal.product)?.row === goal.row
      if (goal.kind === 'locale') return goal.locale === locale
      const value = walk.answer(goal.binding)
      return Array.isArray(value) ? value.includes(goal.choice) : value === goal.choice
    }
  }
}
