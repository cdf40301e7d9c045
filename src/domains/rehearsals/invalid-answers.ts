import { AppError } from '../../kernel/errors.ts'
import { compilePattern } from '../../kernel/patterns.ts'
import { yieldToEventLoop } from '../../kernel/cooperative.ts'
import { toProductAnswerKey } from '../configuration/flow/collected-answers.ts'
import { toWidgetPointer } from '../configuration/flow/goals.ts'
import type { PlannedTestParticipant } from '../configuration/flow/plan.ts'
import { findQuestionRules } from '../configuration/flow/answer-rules.ts'
import type { WidgetOfType } from '../configuration/schema/widgets.ts'
import { normalizeAnswers } from '../registration/answers.ts'
import { markParticipantsOfTestRun } from '../registration/remove-test-participants.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'
import { submitRegistration } from '../registration/submit.ts'
import { listSimulatedDirectoryTags, isDirectoryLookupAnswer, type SimulatedFlowResult, simulateFlowPages } from './visit-pages.ts'
import type { RehearsalReportData } from './report-shape.ts'
import type { RehearsalContext } from './try-person.ts'

/** An invalid answer that the registration must reject. */
interface InvalidAnswer {
  path: string
  fault: string
  binding: string
  value: unknown
}

/** Submits otherwise valid answers with one invalid answer at a time, and counts how many are rejected. */
export async function countRejectedInvalidAnswers(
  ctx: RegistrationContext,
  rehearsing: RehearsalContext,
  people: readonly PlannedTestParticipant[],
): Promise<RehearsalReportData['negative']> {
  const { snapshot, connections, flow } = rehearsing
  const tried = new Set<string>()
  const wronglyAccepted: { path: string; fault: string }[] = []
  for (const person of people.filter(({ outcome }) => outcome === 'completed')) {
    const visit = simulateFlowPages(snapshot, connections, { flow, tags: person.tags, answers: person.answers })
    if (visit.problem) continue
    for (const invalid of listInvalidAnswers(rehearsing, visit)) {
      const key = `${invalid.path} ${invalid.fault} ${invalid.binding}`
      if (tried.has(key)) continue
      tried.add(key)
      if (!(await isRejected(ctx, rehearsing, person, visit, invalid))) wronglyAccepted.push({ path: invalid.path, fault: invalid.fault })
      await yieldToEventLoop()
    }
  }
  return { tried: tried.size, refused: tried.size - wronglyAccepted.length, wronglyAccepted }
}

async function isRejected(
  ctx: RegistrationContext,
  rehearsing: RehearsalContext,
  person: PlannedTestParticipant,
  visit: SimulatedFlowResult,
  { binding, value }: InvalidAnswer,
): Promise<boolean> {
  const { snapshot, flow, connections, runId } = rehearsing
  const wrong = { ...visit.answers, [binding]: value }
  const typed = Object.fromEntries(Object.entries(wrong).filter(([name]) => !isDirectoryLookupAnswer(name)))
  if (normalizeAnswers({ config: snapshot.config, flow }, typed).errors.some(({ path }) => path === binding)) return true
  const directoryTags = listSimulatedDirectoryTags({ ...person, flow }, visit, connections)
  try {
    const { participant } = await submitRegistration(ctx, {
      snapshot,
      flow,
      answers: wrong,
      manualTags: person.tags,
      directoryTags,
      source: 'rehearsal',
      participant: null,
    })
    await markParticipantsOfTestRun(ctx, runId, [participant.id])
    return false
  } catch (error) {
    if (error instanceof AppError) return true
    throw error
  }
}

function listInvalidAnswers({ snapshot, flow }: RehearsalContext, { walk }: SimulatedFlowResult): InvalidAnswer[] {
  const widgets = new Map(flow.pages.flatMap((page) => page.widgets).map((widget) => [widget.id, widget]))
  const products = new Map(snapshot.config.products.map((product) => [product.code, product]))
  return walk.pages.flatMap((page) =>
    page.widgets
      .filter(({ visible }) => visible)
      .flatMap(({ id, required, products: offers }): InvalidAnswer[] => {
        const path = toWidgetPointer(flow, page.code, id)
        const widget = widgets.get(id)!
        const empty = required
          .filter((binding) => !isDirectoryLookupAnswer(binding))
          .map((binding) => ({ path, fault: widget.type === 'policy' ? 'policy unticked' : 'required empty', binding, value: null }))
        const many = offers.flatMap(({ code, row }) =>
          row === null
            ? []
            : [{ path, fault: 'quantity over perPerson', binding: toProductAnswerKey(code), value: products.get(code)!.perPerson + 1 }],
        )
        const hidden =
          widget.type === 'products'
            ? listUnsoldProducts(snapshot.config.products, walk).map((code) => ({
                path,
                fault: 'hidden product',
                binding: toProductAnswerKey(code),
                value: 1,
              }))
            : []
        return [
          ...empty,
          ...many,
          ...hidden,
          ...(widget.type === 'field' ? listInvalidValues(snapshot.config, widget).map((one) => ({ path, ...one })) : []),
        ]
      }),
  )
}

type Visited = SimulatedFlowResult['walk']

/**
 * Lists products that the flow does not sell. Products that are only hidden from this participant are ignored when the flow is evaluated
 * and cannot be tested this way.
 */
function listUnsoldProducts(products: readonly { code: string; category: string }[], { pages }: Visited): string[] {
  const asked = new Set(pages.flatMap(({ widgets }) => widgets.flatMap(({ bindings }) => bindings)))
  return products
    .filter(({ code, category }) => category !== 'donation' && !asked.has(toProductAnswerKey(code)))
    .slice(0, 1)
    .map(({ code }) => code)
}

const UNLIKELY_TEXTS = ['~', '~~~~', '0', 'zzzzzzzz', '12345678901', '!?', 'Ä Ö']

function listInvalidValues(config: RehearsalContext['snapshot']['config'], widget: WidgetOfType<'field'>): Omit<InvalidAnswer, 'path'>[] {
  const { binding } = widget
  const rules = findQuestionRules(config, binding)
  if (!rules) return []
  const wrong: Omit<InvalidAnswer, 'path'>[] = []
  const add = (fault: string, value: unknown) => void wrong.push({ fault, binding, value })
  const limits = [rules, widget]
  const isText = rules.type === 'text' || rules.type === 'longText'
  for (const { min, max } of limits) {
    if (rules.type === 'number' && typeof min === 'number') add('min-1', min - 1)
    if (rules.type === 'number' && typeof max === 'number') add('max+1', max + 1)
    if (isText && typeof max === 'number') add('too long', 'x'.repeat(max + 1))
  }
  if (isText && rules.maxLength !== null) add('too long', 'x'.repeat(rules.maxLength + 1))
  for (const { pattern } of limits) {
    const breaking = pattern === null ? undefined : UNLIKELY_TEXTS.find((text) => compilePattern(pattern)?.matches(text) === false)
    if (breaking !== undefined) add('pattern broken', breaking)
  }
  if (rules.type === 'choice' || rules.type === 'multiChoice') {
    const asAnswer = (code: string) => (rules.type === 'choice' ? code : [code])
    add('unknown choice', asAnswer('no-such-choice'))
    const retired = rules.choices.find((choice) => choice.retired)
    if (retired) add('retired choice', asAnswer(retired.code))
  }
  return wrong
}
