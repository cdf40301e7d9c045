import { z } from 'zod'
import { list, object, oneOf, text } from '../../../kernel/args.ts'
import type { FieldError } from '../../../kernel/errors.ts'
import { type DataField, listParticipantDataFields } from '../../configuration/data-fields.ts'
import { describeField, type FlowQuestion, listFlowQuestions } from '../../configuration/field-descriptors.ts'
import type { InvalidAnswerReason } from '../../configuration/flow/answer-rules.ts'
import type { Configuration } from '../../configuration/read.ts'
import type { Flow } from '../../configuration/schema/event-config.ts'
import { type Answers, normalizeAnswers } from '../answers.ts'
import { findSimilarAnswerKey } from '../nearest-binding.ts'

/**
 * A problem with one answer. By its error code, an assistant decides whether to ask again, correct itself or leave the answer to the
 * participant.
 */
export const ParticipantAnswerError = object({
  binding: z.string(),
  code: oneOf(['required', 'unknown', 'invalid', 'not_here']),
  message: z.string(),
  allowed: list(text()).optional(),
})

/** An error about one answer. `reason` is the text for web pages, which `omitErrorReasons` removes from tool results. */
export type ParticipantAnswerError = z.input<typeof ParticipantAnswerError> & Pick<FieldError, 'reason'>

/** Removes the error texts for web pages (`reason`) from a tool result, at any depth. */
export function omitErrorReasons<T>(result: T): T {
  if (Array.isArray(result)) return result.map(omitErrorReasons) as T
  if (result === null || typeof result !== 'object' || result instanceof Date) return result
  const entries = Object.entries(result).filter(([name]) => !(name === 'reason' && 'binding' in result))
  return Object.fromEntries(entries.map(([name, value]) => [name, omitErrorReasons(value)])) as T
}

interface Reading {
  configuration: Pick<Configuration, 'config' | 'facts'>
  flow: Flow
  /** The stored answers. A choice that was retired stays valid for a participant who already selected it. */
  previous?: Answers
}

/** Answers that assistants cannot submit, such as products and policies. Participants give them on a page that shows terms and prices. */
const BROWSER_ONLY_BINDINGS = /^@(product|policy|session|discount|guest|housing|group|invite)\./
const MAX_ALLOWED = 100

/** Normalizes answers that a participant gives through an assistant. Does not check whether required answers are missing. */
export function normalizeAssistantAnswers({ configuration, flow, previous = {} }: Reading, given: Answers) {
  const { config, facts } = configuration
  const fields = new Map(listParticipantDataFields(config).map((field) => [field.binding, field]))
  const inputs = new Map(listFlowQuestions(config, flow).map((input) => [input.binding, input]))
  const checked = Object.entries(given).map(([binding, value]) => {
    const problem = findBindingProblem({ configuration, flow, fields, inputs }, binding)
    if (problem) return { problem }
    const read = normalizeAnswers({ config, flow, previous, isPublic: true }, { [binding]: value })
    const answer = read.answers[binding]
    const choices = describeField(fields.get(binding)!, inputs.get(binding) ?? NOT_IN_FLOW, facts).choices?.map(({ code }) => code) ?? []
    const fault = read.errors[0] ?? checkCountry(fields.get(binding)!, choices, answer)
    if (fault === undefined) return { answer: [binding, answer] as const }
    const allowed = choices.length > 0 && choices.length <= MAX_ALLOWED ? { allowed: choices } : {}
    const { message, reason } = fault
    return { problem: { binding, code: 'invalid' as const, message, ...allowed, ...(reason ? { reason } : {}) } }
  })
  return {
    answers: Object.fromEntries(checked.flatMap(({ answer }) => (answer ? [answer] : []))),
    errors: checked.flatMap(({ problem }): ParticipantAnswerError[] => (problem ? [problem] : [])),
  }
}

const NOT_IN_FLOW = { required: false, widget: null }

/** Checks that the country is in the event's list of countries, which may be limited. */
const checkCountry = ({ type }: DataField, choices: readonly string[], answer: unknown): InvalidAnswerReason | undefined =>
  type === 'country' && typeof answer === 'string' && !choices.includes(answer)
    ? { message: `Choose one of ${choices.slice(0, 10).join(', ')}.`, reason: { key: 'error.choose' } }
    : undefined

interface Asking extends Pick<Reading, 'configuration' | 'flow'> {
  fields: ReadonlyMap<string, DataField>
  inputs: ReadonlyMap<string, FlowQuestion>
}

/**
 * Returns why a question cannot be answered in this flow. Custom fields can only be answered in flows that ask for them. Fields that no
 * flow asks for are internal to the organizer and are reported as unknown.
 */
function findBindingProblem({ configuration: { config }, flow, fields, inputs }: Asking, binding: string): ParticipantAnswerError | null {
  if (BROWSER_ONLY_BINDINGS.test(binding)) return { binding, code: 'not_here', message: 'chosen by the person in the browser' }
  const field = fields.get(binding)
  const isAsked = inputs.has(binding)
  if (field && !field.retired && (isAsked || field.source === 'standard')) {
    if (field.type === 'file') return { binding, code: 'not_here', message: 'uploaded by the person in the browser' }
    return isAsked || !isShown(flow, binding) ? null : { binding, code: 'not_here', message: 'filled in by the event and read-only' }
  }
  const elsewhere =
    field && !field.retired && config.flows.some((other) => listFlowQuestions(config, other).some((one) => one.binding === binding))
  if (elsewhere) return { binding, code: 'not_here', message: `is not part of the flow ${flow.slug}` }
  const known = [...fields.values()].filter((one) => one.source === 'standard' || inputs.has(one.binding)).map((one) => one.binding)
  const near = findSimilarAnswerKey(binding, known)
  const message = near === null ? 'is not a field of this event' : `is not a field of this event — did you mean ${near}?`
  return { binding, code: 'unknown', message, ...(near === null ? {} : { allowed: [near] }) }
}

const isShown = (flow: Flow, binding: string) =>
  flow.pages.some((page) => page.widgets.some((widget) => widget.type === 'field' && widget.binding === binding))
