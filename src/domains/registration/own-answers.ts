import { z } from 'zod'
import { list, object, oneOf, text } from '../../kernel/args.ts'
import { nearest } from '../../kernel/nearest.ts'
import { type DataField, dataFieldsOf } from '../configuration/data-fields.ts'
import { describeField, type FlowInput, inputsOf } from '../configuration/field-descriptors.ts'
import type { Configuration } from '../configuration/read.ts'
import type { Flow } from '../configuration/schema/event-config.ts'
import { type Answers, readAnswers } from './answers.ts'

/** What is wrong with one answer, so that an assistant knows whether to ask again, correct itself or leave it to the person. */
export const AnswerFault = object({
  binding: z.string(),
  code: oneOf(['required', 'unknown', 'invalid', 'not_here']),
  message: z.string(),
  allowed: list(text()).optional(),
})

export type AnswerFault = z.input<typeof AnswerFault>

interface Reading {
  configuration: Pick<Configuration, 'config' | 'facts'>
  flow: Flow
  /** What is stored: its retired choices stay valid. */
  previous?: Answers
}

/** Agreed to, bought or booked on a page, where the person sees what it means and costs. */
const IN_THE_BROWSER = /^@(product|policy|session|discount|guest|housing|group|invite)\./
const MAX_ALLOWED = 100

/** What people say about themselves through an assistant, as it is kept. Whether enough was said is not looked at. */
export function readOwnAnswers({ configuration, flow, previous = {} }: Reading, given: Answers) {
  const { config, facts } = configuration
  const fields = new Map(dataFieldsOf(config).map((field) => [field.binding, field]))
  const inputs = new Map(inputsOf(config, flow).map((input) => [input.binding, input]))
  const kept = Object.entries(given).map(([binding, value]) => {
    const fault = faultOfBinding({ configuration, flow, fields, inputs }, binding)
    if (fault) return { fault }
    const read = readAnswers({ config, flow, previous }, { [binding]: value })
    const answer = read.answers[binding]
    const choices = describeField(fields.get(binding)!, inputs.get(binding) ?? NOWHERE, facts).choices?.map(({ code }) => code) ?? []
    const [wrong] = read.errors.map(({ message }) => message)
    const strange = wrong ?? outsideOf(fields.get(binding)!, choices, answer)
    if (strange === undefined) return { answer: [binding, answer] as const }
    const allowed = choices.length > 0 && choices.length <= MAX_ALLOWED ? { allowed: choices } : {}
    return { fault: { binding, code: 'invalid' as const, message: strange, ...allowed } }
  })
  return {
    answers: Object.fromEntries(kept.flatMap(({ answer }) => (answer ? [answer] : []))),
    errors: kept.flatMap(({ fault }): AnswerFault[] => (fault ? [fault] : [])),
  }
}

const NOWHERE = { required: false, widget: null }

/** A list of countries may be shorter than the world. */
const outsideOf = ({ type }: DataField, choices: readonly string[], answer: unknown): string | undefined =>
  type === 'country' && typeof answer === 'string' && !choices.includes(answer)
    ? `Choose one of ${choices.slice(0, 10).join(', ')}.`
    : undefined

interface Asking extends Pick<Reading, 'configuration' | 'flow'> {
  fields: ReadonlyMap<string, DataField>
  inputs: ReadonlyMap<string, FlowInput>
}

/** Questions of the event's own are answered where they are asked; what nobody is asked is the organizer's, and as unknown as what never was. */
function faultOfBinding({ configuration: { config }, flow, fields, inputs }: Asking, binding: string): AnswerFault | null {
  if (IN_THE_BROWSER.test(binding)) return { binding, code: 'not_here', message: 'chosen by the person in the browser' }
  const field = fields.get(binding)
  const asked = inputs.has(binding)
  if (field && !field.retired && (asked || field.source === 'standard')) {
    if (field.type === 'file') return { binding, code: 'not_here', message: 'uploaded by the person in the browser' }
    return asked || !isShown(flow, binding) ? null : { binding, code: 'not_here', message: 'filled in by the event, and only shown' }
  }
  const elsewhere = field && !field.retired && config.flows.some((other) => inputsOf(config, other).some((one) => one.binding === binding))
  if (elsewhere) return { binding, code: 'not_here', message: `not asked in the flow ${flow.slug}` }
  const known = [...fields.values()].filter((one) => one.source === 'standard' || inputs.has(one.binding)).map((one) => one.binding)
  const near = nearest(binding, known)
  const message = near === null ? 'nothing that this event asks for' : `nothing that this event asks for — did you mean ${near}?`
  return { binding, code: 'unknown', message, ...(near === null ? {} : { allowed: [near] }) }
}

const isShown = (flow: Flow, binding: string) =>
  flow.pages.some((page) => page.widgets.some((widget) => widget.type === 'field' && widget.binding === binding))
