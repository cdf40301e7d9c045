import type { Condition, SingleCondition } from '../../../kernel/conditions.ts'
import type { CooperativeTask } from '../../../kernel/cooperative.ts'
import { parseDecimal } from '../../../kernel/money.ts'
import { findMostSimilarName } from '../../../kernel/nearest.ts'
import { isCalendarDay, parseInstant } from '../../../kernel/time.ts'
import { findAnswerType } from '../data-fields.ts'
import { listSingleConditions } from '../flow/answer-classes.ts'
import { indexConfigByCode } from '../flow/collected-answers.ts'
import { formatCondition } from '../labels.ts'
import type { ConfigOperation } from '../operations.ts'
import type { QuestionResponseType } from '../schema/catalog.ts'
import type { EventConfig } from '../schema/event-config.ts'
import { FLOW_ENDING_WIDGET_TYPES } from '../schema/widgets.ts'
import { listConditionalPagesAndWidgets, moveFlowElement, countFlowSequenceProblems } from './order.ts'
import { buildConfigRemoveOperation, buildConfigSetOperation } from './suggestions.ts'
import {
  formatAnswerName,
  createErrorFinding,
  type FlowFinding,
  listFieldsFilledByDirectories,
  isAnswerCollected,
  joinWithAnd,
  type FlowReviewContext,
  describePage,
  type PageInFlow,
  type WidgetInFlow,
  describeWidgetAndPage,
} from './context.ts'

/** Review checks F07 and F08: conditions that cannot work as intended. */
export function* reviewConditions(flowContext: FlowReviewContext): CooperativeTask<FlowFinding[]> {
  const findings: FlowFinding[] = []
  let moves = 0
  for (const { at, condition, late, never } of listConditionalPagesAndWidgets(flowContext)) {
    yield
    const path = `${at.path}/showWhen`
    const misfits = listSingleConditions(condition).flatMap((leaf) => findMisfit(flowContext.config, leaf) ?? [])
    const owner = 'widget' in at ? describeWidgetAndPage(flowContext, at) : describePage(at.page)
    const repaired = suggestCondition(path, condition, { unknown: new Set([...late, ...never]), misfits })
    if (late.length + never.length > 0) {
      const asked = [
        ...(late.length > 0 ? [`${describeAnswers(flowContext, late)}, which is only asked later`] : []),
        ...(never.length > 0 ? [`${describeAnswers(flowContext, never)}, which this flow never asks`] : []),
      ]
      // Moving the page or widget keeps its condition. If that does not help, suggest removing the comparisons that are never true.
      const move = never.length === 0 && misfits.length === 0 && moves++ < MAX_MOVES ? suggestMove(flowContext, at, late) : null
      findings.push(createErrorFinding('F07', path, `The condition of ${owner} uses ${joinWithAnd(asked)}.`, move ?? repaired))
    }
    if (misfits.length > 0) {
      const why = misfits.map(({ leaf, problem }) => `"${formatCondition(leaf)}": ${problem}`).join('; ')
      const fixable = misfits.every(({ instead, leaf }) => instead !== null || late.includes(leaf.binding) || never.includes(leaf.binding))
      findings.push(
        createErrorFinding(
          'F08',
          path,
          `The condition of ${owner} does not match the possible answers — ${why}.`,
          fixable ? repaired : null,
        ),
      )
    }
  }
  return findings
}

/**
 * Maximum number of moves to try. Checking one move evaluates the whole flow, and moving elements cannot fix a flow in which this many
 * elements come too early or too late.
 */
const MAX_MOVES = 20

const describeAnswers = ({ context }: FlowReviewContext, bindings: readonly string[]) =>
  joinWithAnd(bindings.map((binding) => formatAnswerName(context, binding)))

interface InvalidComparison {
  leaf: SingleCondition
  problem: string
  /** The comparison that the organizer most likely intended; null if there is none. */
  instead: SingleCondition | null
}

/**
 * Replaces comparisons that do not fit by the likely intended ones and removes those whose answer is never known. Groups that become
 * empty are removed too.
 */
function suggestCondition(
  path: string,
  condition: Condition,
  { unknown, misfits }: { unknown: ReadonlySet<string>; misfits: readonly InvalidComparison[] },
): ConfigOperation[] {
  const instead = new Map(misfits.map((misfit) => [misfit.leaf, misfit.instead]))
  const fixNode = (node: Condition): Condition | null => {
    const key = 'all' in node ? 'all' : 'any' in node ? 'any' : null
    if (key === null) return unknown.has((node as SingleCondition).binding) ? null : (instead.get(node as SingleCondition) ?? node)
    const kept = (node as Record<'all' | 'any', readonly Condition[]>)[key].flatMap((inner) => fixNode(inner) ?? [])
    return kept.length > 0 ? ({ [key]: kept } as unknown as Condition) : null
  }
  const fixed = fixNode(condition)
  return fixed === null ? [buildConfigRemoveOperation(path)] : [buildConfigSetOperation(path, fixed)]
}

/**
 * Suggests moving the page or widget behind the question that it depends on, if fewer elements of the flow come too early or too late after
 * the move.
 */
function suggestMove(flowContext: FlowReviewContext, at: PageInFlow | WidgetInFlow, late: readonly string[]): ConfigOperation[] | null {
  const { widgetElements, pages, config, flow, context } = flowContext
  const askers = late.map((binding) =>
    widgetElements.find((element) => element !== at && isAnswerCollected(binding, new Set(element.collected.map((one) => one.binding)))),
  )
  if (askers.includes(undefined)) return null
  const last = (askers as WidgetInFlow[]).toSorted((a, b) => b.order - a.order)[0]!
  const own = 'widget' in at ? [at.widget] : at.page.widgets
  if (own.some(({ type }) => FLOW_ENDING_WIDGET_TYPES.includes(type))) return null
  const filled = listFieldsFilledByDirectories(context, flow)
  const operation: ConfigOperation =
    'widget' in at
      ? { op: 'move', path: at.path, after: last.widget.id, ...(last.page === at.page ? {} : { to: `${last.pagePath}/widgets` }) }
      : { op: 'move', path: at.path, after: pages[last.pageIndex]!.page.code }
  if (!('widget' in at) && last.page === at.page) return null
  const next =
    'widget' in at ? moveFlowElement.widget(flow, at.widget, { after: last.widget }) : moveFlowElement.page(flow, at.page, last.page)
  return countFlowSequenceProblems(config, next, filled) < countFlowSequenceProblems(config, flow, filled) ? [operation] : null
}

const TEXTS: ReadonlySet<QuestionResponseType | 'list'> = new Set(['text', 'longText', 'email', 'phone', 'url'] as const)
const valuesOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value])

/** Finds the reason why a comparison is meaningless for answers of its type; null if it is valid. */
function findMisfit(config: EventConfig, leaf: SingleCondition): InvalidComparison | null {
  const { binding, op, value } = leaf
  const type = findAnswerType(config, binding)
  if (type === null || op === 'isSet' || op === 'isNotSet') return null
  const misfit = (problem: string, instead: SingleCondition | null = null): InvalidComparison => ({ leaf, problem, instead })
  if ((op === 'gt' || op === 'lt') && type !== 'number' && type !== 'date') {
    return misfit(`more and less apply only to numbers and dates, not to ${TYPE_NOUNS[type]}`)
  }
  if (op === 'contains' && !TEXTS.has(type) && type !== 'multiChoice' && type !== 'list') {
    const meant: SingleCondition = { ...leaf, op: Array.isArray(value) ? 'in' : 'equals' }
    const still = findMisfit(config, meant)
    return misfit(`"contains" applies only to texts and lists, not to ${TYPE_NOUNS[type]}`, still ? still.instead : meant)
  }
  const codes = codesOf(config, binding, type)
  if (codes) {
    const wrong = valuesOf(value).filter((one) => typeof one !== 'string' || !codes.includes(one.toLowerCase()))
    if (wrong.length === 0) return null
    const near = (one: unknown) => (wrong.includes(one) ? findMostSimilarName(String(one), codes) : one)
    const meant = Array.isArray(value) ? value.map(near) : near(value)
    const fixable = valuesOf(meant).every((one) => one !== null)
    return misfit(
      `${joinWithAnd(wrong.map((one) => JSON.stringify(one)))} is not among its values`,
      fixable ? { ...leaf, value: meant } : null,
    )
  }
  const wrong = valuesOf(value).find((one) => !fits(type, one))
  return wrong === undefined ? null : misfit(`${JSON.stringify(wrong)} is not ${TYPE_NOUNS[type]}`)
}

/** Returns the codes of the choices, tags or flows that an answer can contain; null if answers are not codes. */
function codesOf(config: EventConfig, binding: string, type: QuestionResponseType | 'list'): string[] | null {
  if (binding === '@participant.tags') return config.tags.map(({ code }) => code)
  if (binding === '@flow.slug') return config.flows.map(({ slug }) => slug)
  if (type !== 'choice' && type !== 'multiChoice') return null
  // Retired choices are valid in a condition, because earlier answers may contain them.
  return (
    indexConfigByCode(config)
      .fields.get(binding.slice('@custom.'.length))
      ?.choices.map(({ code }) => code) ?? null
  )
}

function fits(type: QuestionResponseType | 'list', value: unknown): boolean {
  if (type === 'boolean') return /^(true|false)$/i.test(String(value))
  if (type === 'number')
    return (typeof value === 'number' && Number.isFinite(value)) || (typeof value === 'string' && parseDecimal(value) !== null)
  if (type === 'date') return typeof value === 'string' && (isCalendarDay(value) || parseInstant(value) !== null)
  if (type === 'country') return typeof value === 'string' && /^[a-z]{2}$/i.test(value)
  return typeof value === 'string' || typeof value === 'number'
}

const TYPE_NOUNS: Record<QuestionResponseType | 'list', string> = {
  text: 'a text',
  longText: 'a text',
  number: 'a number',
  boolean: 'a yes/no answer',
  date: 'a date',
  choice: 'a choice',
  multiChoice: 'a list of choices',
  email: 'an email address',
  phone: 'a phone number',
  url: 'a web address',
  country: 'a two-letter country code',
  file: 'a file',
  list: 'a list of tags',
}
