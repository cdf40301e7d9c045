import { listParticipantDataFields } from '../data-fields.ts'
import { indexConfigByCode, listWidgetProducts } from '../flow/collected-answers.ts'
import { findQuestionRules } from '../flow/answer-rules.ts'
import type { ConfigOperation } from '../operations.ts'
import { findConfigPointerOfField } from '../references.ts'
import type { WidgetOfType } from '../schema/widgets.ts'
import {
  findPositionBeforeQuestions,
  findFirstPageForEveryone,
  insertWidget,
  buildWidgetRemoval,
  buildConfigRemoveOperation,
  buildConfigSetOperation,
} from './suggestions.ts'
import {
  formatAnswerName,
  capitalize,
  createErrorFinding,
  type FlowFinding,
  listFieldsFilledByDirectories,
  hasVisibilityRule,
  createInfoFinding,
  joinWithAnd,
  type FlowReviewContext,
  describePage,
  cachePerReview,
  type WidgetInFlow,
  describeWidgetAndPage,
  joinFirstItems,
  createWarningFinding,
} from './context.ts'
import type { VisibilitySolver } from './visibility-solver.ts'

/** Checks the questions of a flow: checks F01, F09 to F12 and F17 of the configuration review. */
export const reviewQuestions = (flowContext: FlowReviewContext, solver: VisibilitySolver): FlowFinding[] => [
  ...checkRequiredQuestions(flowContext),
  ...checkRepeated(flowContext, solver),
  ...flowContext.widgetElements.flatMap((element) => [
    ...checkReadOnly(flowContext, element),
    ...checkLimits(flowContext, element),
    ...checkSensitive(flowContext, element),
    ...checkRetiredChoices(flowContext, element),
  ]),
]

const REQUIRED_BINDINGS = ['@participant.firstName', '@participant.lastName', '@participant.email'] as const

function checkRequiredQuestions(flowContext: FlowReviewContext): FlowFinding[] {
  const asked = new Set(flowContext.widgetElements.flatMap(({ collected }) => collected.map(({ binding }) => binding)))
  const missing = REQUIRED_BINDINGS.filter((binding) => !asked.has(binding))
  if (missing.length === 0) return []
  const names = joinWithAnd(missing.map((binding) => formatAnswerName(flowContext.context, binding).replaceAll('"', '').toLowerCase()))
  return [
    createErrorFinding(
      'F01',
      `${flowContext.path}/pages`,
      `The flow "${flowContext.flow.name}" never asks for the ${names}, which every registration needs.`,
      suggestQuestions(flowContext, missing),
    ),
  ]
}

function suggestQuestions(flowContext: FlowReviewContext, missing: readonly string[]): ConfigOperation[] | null {
  const page = findFirstPageForEveryone(flowContext)
  if (!page) return null
  const position = findPositionBeforeQuestions(page)
  const wholeName = missing.includes('@participant.firstName') && missing.includes('@participant.lastName')
  const single = missing.filter((binding) => !wholeName || binding === '@participant.email')
  const operations = [
    ...(wholeName ? [insertWidget(flowContext, page, { type: 'name' }, 'name', position)] : []),
    ...single.map((binding) => insertWidget(flowContext, page, { type: 'field', binding, required: true }, idOf(binding), position)),
  ]
  return operations.includes(null) ? null : (operations as ConfigOperation[])
}

const idOf = (binding: string) => binding.slice(binding.lastIndexOf('.') + 1).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** Bindings (keys of answers) that several widgets may collect. For example, sessions may be chosen on a page for each day. */
const REPEATABLE_BINDINGS = ['@session.', '@guest.']

function checkRepeated(flowContext: FlowReviewContext, solver: VisibilitySolver): FlowFinding[] {
  const asking = flowContext.widgetElements.filter(({ widget }) => !(widget.type === 'field' && widget.readOnly))
  const earlier = new Map<string, WidgetInFlow[]>()
  return asking.flatMap((element) => {
    const twice = new Map<WidgetInFlow, string[]>()
    for (const { binding } of element.collected) {
      const others = earlier.get(binding) ?? []
      earlier.set(binding, [...others, element])
      if (REPEATABLE_BINDINGS.includes(binding)) continue
      const other = others.find((one) => canSeeBoth(flowContext, solver, one, element))
      if (other) twice.set(other, [...(twice.get(other) ?? []), binding])
    }
    return [...twice].slice(0, 1).map(([other, bindings]) => {
      const names = joinFirstItems(bindings.map((binding) => formatAnswerName(flowContext.context, binding)))
      const message = `${capitalize(describeWidgetAndPage(flowContext, element))} repeats the question for ${names}, which ${describeWidgetAndPage(flowContext, other)} already asks.`
      return createWarningFinding('F09', element.path, message, suggestRemoval(flowContext, other, element))
    })
  })
}

function canSeeBoth({ pages }: FlowReviewContext, solver: VisibilitySolver, first: WidgetInFlow, second: WidgetInFlow): boolean {
  const free = [first, second].every(({ widget, pageIndex }) => !hasVisibilityRule(widget) && !hasVisibilityRule(pages[pageIndex]!.page))
  return free || solver.canSee([first, 'shown'], [second, 'shown']) === true
}

/**
 * Suggests removing the second of two equal questions if everyone who sees it has seen the first. If only some participants must answer the
 * second question, nothing is suggested: without it they could leave the answer out, and requiring the first would require it from
 * everyone.
 */
function suggestRemoval(flowContext: FlowReviewContext, first: WidgetInFlow, second: WidgetInFlow): ConfigOperation[] | null {
  if (first.widget.type !== 'field' || second.widget.type !== 'field') return null
  const always = !hasVisibilityRule(first.widget) && (!hasVisibilityRule(first.page) || first.page === second.page)
  const stricter = second.widget.required && !first.widget.required
  if (!always || (stricter && isForSome(first, second))) return null
  const taken = buildWidgetRemoval(flowContext, second)
  return taken && stricter ? [buildConfigSetOperation(`${first.path}/required`, true), ...taken] : taken
}

/** Whether some participants see the first question but not the second. */
const isForSome = (first: WidgetInFlow, second: WidgetInFlow) =>
  hasVisibilityRule(second.widget) || (second.page !== first.page && hasVisibilityRule(second.page))

function checkReadOnly(flowContext: FlowReviewContext, { widget, path, order, page }: WidgetInFlow): FlowFinding[] {
  if (widget.type !== 'field' || !widget.required || !widget.readOnly || widget.default !== null) return []
  const { binding } = widget
  const before = flowContext.widgetElements.some((other) => other.order < order && other.collected.some((one) => one.binding === binding))
  if (before || listFieldsFilledByDirectories(flowContext.context, flowContext.flow).has(binding)) return []
  const message = `${capitalize(describeWidgetAndPage(flowContext, { widget, page }))} is required but read-only, and nothing fills it in.`
  return [createWarningFinding('F10', path, message, [buildConfigSetOperation(`${path}/required`, false)])]
}

function checkLimits(flowContext: FlowReviewContext, element: WidgetInFlow): FlowFinding[] {
  const { widget, path } = element
  if (widget.type === 'products') return checkProductMinimum(flowContext, element, widget)
  if (widget.type !== 'field') return []
  const rules = findQuestionRules(flowContext.config, widget.binding)
  if (!rules) return []
  const report = (what: string, keys: readonly ('min' | 'max' | 'choices')[], more: readonly ConfigOperation[] = []) =>
    createWarningFinding('F11', path, `${capitalize(describeWidgetAndPage(flowContext, element))} cannot be answered: ${what}.`, [
      ...keys.filter((key) => widget[key] !== null).map((key) => buildConfigRemoveOperation(`${path}/${key}`)),
      ...more,
    ])
  const live = rules.choices.filter(({ retired }) => !retired).map(({ code }) => code)
  const offered = widget.choices === null ? live : live.filter((code) => widget.choices!.includes(code))
  if (widget.choices !== null && offered.length === 0) return [report('none of its choices is available', ['choices'])]
  if (widget.choices !== null && (rules.minChoices ?? 0) > offered.length) {
    return [report(`at least ${rules.minChoices} choices are required, but only ${offered.length} offered`, ['choices'])]
  }
  const [least, most] = [largest([rules.min, widget.min]), smallest([rules.max, widget.max, rules.maxLength])]
  if (least === null || most === null || least <= most) return []
  const what = `at least ${least} and at most ${most} is wanted`
  // The fix removes the widget's limits on the answer, and the field's minimum length if it exceeds the field's maximum length.
  const tooLong = rules.maxLength !== null && typeof rules.min === 'number' && rules.min > rules.maxLength
  return [report(what, ['min', 'max'], tooLong ? [buildConfigRemoveOperation(`${findConfigPointerOfField(widget.binding)}/min`)] : [])]
}

type Bound = number | string | null
const given = (bounds: readonly Bound[]) => bounds.filter((bound) => bound !== null)
const largest = (bounds: readonly Bound[]): Bound =>
  given(bounds).reduce<Bound>((best, one) => (best === null || one > best ? one : best), null)
const smallest = (bounds: readonly Bound[]): Bound =>
  given(bounds).reduce<Bound>((best, one) => (best === null || one < best ? one : best), null)

function checkProductMinimum(flowContext: FlowReviewContext, element: WidgetInFlow, widget: WidgetOfType<'products'>): FlowFinding[] {
  const each = listWidgetProducts(flowContext.config, widget).map(({ perPerson }) => perPerson)
  const most = widget.selection === 'single' ? Math.max(0, ...each) : each.reduce((sum, one) => sum + one, 0)
  if (each.length === 0 || widget.min <= most) return []
  const message = `${capitalize(describeWidgetAndPage(flowContext, element))} requires at least ${widget.min} products, but at most ${most} can be chosen.`
  return [createWarningFinding('F11', element.path, message, [buildConfigSetOperation(`${element.path}/min`, most)])]
}

const sensitiveFields = cachePerReview(
  ({ config }) =>
    new Set(
      listParticipantDataFields(config)
        .filter(({ sensitive }) => sensitive)
        .map(({ binding }) => binding),
    ),
)

function checkSensitive(flowContext: FlowReviewContext, element: WidgetInFlow): FlowFinding[] {
  const { widget, collected, path } = element
  if (widget.type === 'field' && widget.help !== null) return []
  const asks = widget.type === 'field' || widget.type === 'companyProfile' || widget.type === 'submission'
  const { fields } = indexConfigByCode(flowContext.config)
  const silent = asks
    ? collected
        .map(({ binding }) => binding)
        .filter(
          (binding) =>
            sensitiveFields(flowContext.context).has(binding) && (fields.get(binding.slice('@custom.'.length))?.help ?? null) === null,
        )
    : []
  if (silent.length === 0) return []
  const names = joinWithAnd(silent.map((binding) => formatAnswerName(flowContext.context, binding)))
  return [
    createInfoFinding(
      'F12',
      path,
      `${names} on ${describePage(element.page)} is a sensitive question; add a help text that explains why you ask it.`,
    ),
  ]
}

function checkRetiredChoices(flowContext: FlowReviewContext, element: WidgetInFlow): FlowFinding[] {
  const { widget, path } = element
  if (widget.type !== 'field' || widget.choices === null) return []
  const rules = findQuestionRules(flowContext.config, widget.binding)
  const live = new Set(rules?.choices.filter(({ retired }) => !retired).map(({ code }) => code))
  const retiredChoices = widget.choices.filter((code) => !live.has(code))
  const kept = widget.choices.filter((code) => live.has(code))
  // A question without any valid choice is already reported as unanswerable.
  if (retiredChoices.length === 0 || kept.length === 0) return []
  const message = `${capitalize(describeWidgetAndPage(flowContext, element))} offers ${joinFirstItems(retiredChoices)}, which ${retiredChoices.length === 1 ? 'is' : 'are'} retired or no longer a choice.`
  return [createWarningFinding('F17', path, message, [buildConfigSetOperation(`${path}/choices`, kept)])]
}
