import { bindingsOf } from '../../kernel/conditions.ts'
import { largestRemainder } from '../../kernel/money.ts'
import { type Connections, indexOf } from '../configuration/flow/collects.ts'
import { NAMES } from '../configuration/flow/corpus.ts'
import { fillPerson } from '../configuration/flow/people.ts'
import { type Person, planPeople } from '../configuration/flow/solver.ts'
import { checkAnswer, rulesOfField } from '../configuration/flow/values.ts'
import type { EventConfig, Flow } from '../configuration/schema/event-config.ts'
import type { ParticipantStatus } from '../registration/tables.ts'
import type { RunOptions } from './run-options.ts'

/** Somebody made up, with everything they will answer. */
export interface CastMember {
  flow: Flow
  index: number
  status: ParticipantStatus
  /** Held before the flow. */
  tags: readonly string[]
  /** By binding, with how lookups end. */
  answers: Readonly<Record<string, unknown>>
}

export interface Casting extends Pick<RunOptions, 'count' | 'seed' | 'mix' | 'withGuests'> {
  config: EventConfig
  flows: readonly Flow[]
  timezone: string
  at: Date
  connections: Connections
  /** What exists outside the document and can be answered with. */
  known: Readonly<Record<string, unknown>>
}

// Those who need numbers come first, and always in this order: runs at the same time wait for each other and never in a circle.
const ORDER = ['complete', 'cancelled', 'waitlisted', 'incomplete'] as const satisfies readonly ParticipantStatus[]

/** So many people by turns for each flow; the first ones reach every branch, the others do the same under other names. Draft and seed decide everything. */
export function castOf({ config, flows, count, seed, mix, withGuests, timezone, at, connections, known }: Casting): CastMember[] {
  const where = { timezone, now: at, connections }
  const parts = flows.map((flow) => {
    const { people } = planPeople(config, flow, { ...where, seed, maxPeople: Math.ceil(count / flows.length) })
    return { flow, people: usable(people), decisive: decisiveIn(flow), questions: choiceQuestions(config, flow) }
  })
  return statusesOf(count, mix).map((status, index) => {
    const { flow, people, decisive, questions } = parts[index % parts.length]!
    const turn = Math.floor(index / parts.length)
    const { tags, answers: planned } = people[turn % people.length]!
    const kept = Object.entries(planned).filter(([binding]) => decisive.has(binding) || !/^@(participant|custom|guest)\./.test(binding))
    const chosen = questions
      .filter(({ binding }) => !decisive.has(binding))
      .map(({ binding, choices }) => [binding, choices[turn % choices.length]])
    const guest =
      withGuests && flow.guests?.enabled && turn % 3 === 0 ? { '@guest.1.firstName': NAMES[(index + 1) % NAMES.length]!.firstName } : {}
    const answers = { ...guest, ...Object.fromEntries([...chosen, ...kept]) }
    return { flow, index, status, tags, answers: fillPerson(config, flow, { seed, index, answers, tags, known }, where).answers }
  })
}

/** People whom a lookup turns away never get anywhere; a flow that nobody can finish is tried all the same, to be told where it ends. */
function usable(people: readonly Person[]): readonly Person[] {
  const completed = people.filter(({ outcome }) => outcome === 'completed')
  return completed.length > 0 ? completed : people
}

const decisiveIn = (flow: Flow) =>
  new Set(flow.pages.flatMap((page) => [page, ...page.widgets]).flatMap(({ showWhen }) => bindingsOf(showWhen)))

/** Questions with a list to choose from, each choice as an answer: all of them are to be seen, also where nothing depends on them. */
function choiceQuestions(config: EventConfig, flow: Flow): { binding: string; choices: readonly unknown[] }[] {
  const { fields } = indexOf(config)
  const asked = flow.pages.flatMap((page) => page.widgets).filter((widget) => widget.type === 'field')
  return asked.flatMap((widget) => {
    const field = widget.binding.startsWith('@custom.') ? fields.get(widget.binding.slice('@custom.'.length)) : undefined
    if (field?.responseType !== 'choice' && field?.responseType !== 'multiChoice') return []
    const rules = rulesOfField(field)
    const choices = field.choices
      .map(({ code }) => (field.responseType === 'choice' ? code : [code]))
      .filter((value) => checkAnswer(rules, widget, value) === null)
    return choices.length > 0 ? [{ binding: widget.binding, choices }] : []
  })
}

function statusesOf(count: number, mix: RunOptions['mix']): ParticipantStatus[] {
  const counts = largestRemainder(
    count,
    ORDER.map((status) => mix[status]),
  )
  return ORDER.flatMap((status, index) => Array.from({ length: counts[index]! }, () => status))
}
