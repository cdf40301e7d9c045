import { evaluateFlow } from '../configuration/flow/walk.ts'
import type { Configuration } from '../configuration/read.ts'
import type { Flow } from '../configuration/schema/event-config.ts'
import { type Answers, isUnknownAnswerKeyError, normalizeAnswers } from '../registration/answers.ts'
import { toParticipantIdentity } from '../registration/add.ts'
import { getQuestionLabel, listMissingFields } from '../registration/missing-fields.ts'
import { type ParticipantAnswerError, normalizeAssistantAnswers } from '../registration/own/own-answers.ts'
import { getFlow, type EventSnapshot } from '../registration/event-snapshot.ts'
import type { GroupRow } from './groups.ts'
import { REQUIRED_MEMBER_FIELDS } from './member-columns.ts'

interface MemberReading {
  configuration: Configuration
  group: GroupRow
  /** Members that precede this member in the same call. */
  others: readonly { data: Answers }[]
}

/**
 * Matches the bindings (identifiers) of questions about products and rooms, which a group may choose for its members in addition to
 * answers.
 */
const GROUP_CHOICE_BINDING = /^@(product|housing)\./

/** Normalizes a member's answers and lists the problems. Names and email address are required; other answers may be left to the member. */
export function validateMemberAnswers(
  { configuration, group, others }: MemberReading,
  data: Answers,
): { answers: Answers; errors: ParticipantAnswerError[] } {
  const { config } = configuration
  const flow = getFlow(configuration, group.flow_slug)
  const [own, chosen] = splitChoices(data)
  const answered = normalizeAssistantAnswers({ configuration, flow }, own)
  const rooms = Object.keys(chosen).filter((binding) => binding.startsWith('@housing.') && !config.housing.enabled)
  const taken = normalizeAnswers(
    { config, flow },
    Object.fromEntries(Object.entries(chosen).filter(([binding]) => !rooms.includes(binding))),
  )
  const answers = omitNull({ ...answered.answers, ...taken.answers })
  const wrong = new Set(answered.errors.map(({ binding }) => binding))
  const errors: ParticipantAnswerError[] = [
    ...answered.errors,
    ...rooms.map((binding) => ({ binding, code: 'not_here' as const, message: 'this event offers no hotel rooms' })),
    ...taken.errors.map((error) => ({
      binding: error.path,
      code: isUnknownAnswerKeyError(error) ? ('unknown' as const) : ('invalid' as const),
      message: error.message,
      ...(error.allowed ? { allowed: [...error.allowed] } : {}),
      ...(error.reason ? { reason: error.reason } : {}),
    })),
    ...REQUIRED_MEMBER_FIELDS.filter((binding) => answers[binding] === undefined && !wrong.has(binding)).map((binding) => ({
      binding,
      code: 'required' as const,
      message: `${getQuestionLabel(config, binding)} is required`,
    })),
  ]
  if (errors.length === 0 && others.some(({ data: other }) => isSamePerson(other, answers))) {
    errors.push({ binding: '@participant.email', code: 'invalid', message: 'the same person is named twice' })
  }
  return { answers, errors }
}

function splitChoices(data: Answers): [own: Answers, chosen: Answers] {
  const { own = [], chosen = [] } = Object.groupBy(Object.entries(data), ([binding]) =>
    GROUP_CHOICE_BINDING.test(binding) ? 'chosen' : 'own',
  )
  return [Object.fromEntries(own), Object.fromEntries(chosen)]
}

const omitNull = (answers: Answers) => Object.fromEntries(Object.entries(answers).filter(([, value]) => value !== null))

const normalizeText = (text: string | null) => (text ?? '').normalize('NFKC').trim().replaceAll(/\s+/g, ' ').toLowerCase()

function isSamePerson(a: Answers, b: Answers): boolean {
  const [one, other] = [toParticipantIdentity(a, null), toParticipantIdentity(b, null)]
  return (['firstName', 'lastName', 'email'] as const).every((part) => normalizeText(one[part]) === normalizeText(other[part]))
}

/** Whether a required answer, a product choice or a policy is left that only the participant can complete. */
export function needsInputFromParticipant(
  snapshot: EventSnapshot,
  flow: Flow,
  { tags }: Pick<GroupRow, 'tags'>,
  answers: Answers,
): boolean {
  const walk = evaluateFlow(snapshot.config, flow, { answers, tags, timezone: snapshot.timezone, now: snapshot.at })
  const widgets = walk.pages.flatMap((page) => page.widgets).filter(({ visible }) => visible)
  const offered = widgets.flatMap(({ products }) => products)
  return (
    listMissingFields(snapshot.config, walk, { skipRequired: false }).length > 0 ||
    widgets.some(({ type }) => type === 'policy') ||
    (offered.length > 0 && !offered.some(({ quantity }) => quantity > 0))
  )
}
