import { listConditionQuestionNames } from '../../kernel/conditions.ts'
import { splitByWeights } from '../../kernel/money.ts'
import { type DirectoryFactsByConnection, indexConfigByCode } from '../configuration/flow/collected-answers.ts'
import { SAMPLE_NAMES } from '../configuration/flow/sample-data.ts'
import { fillInTestParticipant } from '../configuration/flow/test-participants.ts'
import { type PlannedTestParticipant, planTestRunParticipants } from '../configuration/flow/plan.ts'
import { findAnswerErrorMessage, toCustomFieldRules } from '../configuration/flow/answer-rules.ts'
import type { EventConfig, Flow } from '../configuration/schema/event-config.ts'
import type { ParticipantStatus } from '../registration/tables.ts'
import type { TestRunOptions } from './run-options.ts'

/** A generated test participant with all planned answers. */
export interface TestParticipant {
  flow: Flow
  index: number
  status: ParticipantStatus
  /** The tags that the test participant has before entering the registration flow. */
  tags: readonly string[]
  /** Planned answers by binding (identifier of the question). The results of directory lookups are planned as answers too. */
  answers: Readonly<Record<string, unknown>>
}

export interface TestParticipantOptions extends Pick<TestRunOptions, 'count' | 'seed' | 'mix' | 'withGuests'> {
  config: EventConfig
  flows: readonly Flow[]
  timezone: string
  at: Date
  connections: DirectoryFactsByConnection
  /** Answers that name database records, such as conference sessions, instead of configured choices. */
  known: Readonly<Record<string, unknown>>
}

// Participants whose status needs order and invoice numbers are created first, so that concurrent test runs do not deadlock.
const STATUS_ORDER = ['complete', 'cancelled', 'waitlisted', 'incomplete'] as const satisfies readonly ParticipantStatus[]

/**
 * Distributes `count` test participants over the flows. The first participants of each flow reach every branch; the others repeat the same
 * planned answers with other names. The result depends only on the draft configuration and the seed.
 */
export function planTestParticipants({
  config,
  flows,
  count,
  seed,
  mix,
  withGuests,
  timezone,
  at,
  connections,
  known,
}: TestParticipantOptions): TestParticipant[] {
  const where = { timezone, now: at, connections }
  const parts = flows.map((flow) => {
    const { people } = planTestRunParticipants(config, flow, { ...where, seed, maxPeople: Math.ceil(count / flows.length) })
    return { flow, people: pickUsable(people), decisive: listDecisiveBindings(flow), questions: listChoiceQuestions(config, flow) }
  })
  return splitStatuses(count, mix).map((status, index) => {
    const { flow, people, decisive, questions } = parts[index % parts.length]!
    const turn = Math.floor(index / parts.length)
    const { tags, answers: planned } = people[turn % people.length]!
    const kept = Object.entries(planned).filter(([binding]) => decisive.has(binding) || !/^@(participant|custom|guest)\./.test(binding))
    const chosen = questions
      .filter(({ binding }) => !decisive.has(binding))
      .map(({ binding, choices }) => [binding, choices[turn % choices.length]])
    const guest =
      withGuests && flow.guests?.enabled && turn % 3 === 0
        ? { '@guest.1.firstName': SAMPLE_NAMES[(index + 1) % SAMPLE_NAMES.length]!.firstName }
        : {}
    const answers = { ...guest, ...Object.fromEntries([...chosen, ...kept]) }
    return { flow, index, status, tags, answers: fillInTestParticipant(config, flow, { seed, index, answers, tags, known }, where).answers }
  })
}

/**
 * Returns the planned participants who can finish the flow, which a failed directory lookup can prevent. If no participant can finish, all
 * are returned, so that the failure shows where the flow ends.
 */
function pickUsable(people: readonly PlannedTestParticipant[]): readonly PlannedTestParticipant[] {
  const completed = people.filter(({ outcome }) => outcome === 'completed')
  return completed.length > 0 ? completed : people
}

const listDecisiveBindings = (flow: Flow) =>
  new Set(flow.pages.flatMap((page) => [page, ...page.widgets]).flatMap(({ showWhen }) => listConditionQuestionNames(showWhen)))

/** Lists choice questions with their valid answers, so that every choice occurs in the test data. */
function listChoiceQuestions(config: EventConfig, flow: Flow): { binding: string; choices: readonly unknown[] }[] {
  const { fields } = indexConfigByCode(config)
  const asked = flow.pages.flatMap((page) => page.widgets).filter((widget) => widget.type === 'field')
  return asked.flatMap((widget) => {
    const field = widget.binding.startsWith('@custom.') ? fields.get(widget.binding.slice('@custom.'.length)) : undefined
    if (field?.responseType !== 'choice' && field?.responseType !== 'multiChoice') return []
    const rules = toCustomFieldRules(field)
    const choices = field.choices
      .map(({ code }) => (field.responseType === 'choice' ? code : [code]))
      .filter((value) => findAnswerErrorMessage(rules, widget, value) === null)
    return choices.length > 0 ? [{ binding: widget.binding, choices }] : []
  })
}

function splitStatuses(count: number, mix: TestRunOptions['mix']): ParticipantStatus[] {
  const counts = splitByWeights(
    count,
    STATUS_ORDER.map((status) => mix[status]),
  )
  return STATUS_ORDER.flatMap((status, index) => Array.from({ length: counts[index]! }, () => status))
}
