import { walkFlow } from '../configuration/flow/walk.ts'
import type { Configuration } from '../configuration/read.ts'
import type { Flow } from '../configuration/schema/event-config.ts'
import { type Answers, readAnswers } from '../registration/answers.ts'
import { toIdentity } from '../registration/add.ts'
import { getBindingLabel, listMissingFields } from '../registration/missing-fields.ts'
import { type AnswerProblem, readOwnAnswers } from '../registration/own-answers.ts'
import { getFlow, type EventSnapshot } from '../registration/event-snapshot.ts'
import type { GroupRow } from './groups.ts'
import { NEEDED } from './member-columns.ts'

interface Reading {
  configuration: Configuration
  group: GroupRow
  /** Members that the same call names before this one. */
  others: readonly { data: Answers }[]
}

/** What a group may decide for its members beside their answers: what it pays for, and where they sleep. */
const FOR_THEM = /^@(product|housing)\./

/** Answers of a member as they are kept, and what is wrong with them. Names and address must be there; the rest may be left to the person. */
export function readMember({ configuration, group, others }: Reading, data: Answers): { answers: Answers; errors: AnswerProblem[] } {
  const { config } = configuration
  const flow = getFlow(configuration, group.flow_slug)
  const [own, chosen] = split(data)
  const said = readOwnAnswers({ configuration, flow }, own)
  const rooms = Object.keys(chosen).filter((binding) => binding.startsWith('@housing.') && !config.housing.enabled)
  const taken = readAnswers({ config, flow }, Object.fromEntries(Object.entries(chosen).filter(([binding]) => !rooms.includes(binding))))
  const answers = withoutEmpty({ ...said.answers, ...taken.answers })
  const wrong = new Set(said.errors.map(({ binding }) => binding))
  const errors: AnswerProblem[] = [
    ...said.errors,
    ...rooms.map((binding) => ({ binding, code: 'not_here' as const, message: 'this event offers no hotel rooms' })),
    ...taken.errors.map(({ path, message, allowed }) => ({
      binding: path,
      code: message.startsWith('is nothing') ? ('unknown' as const) : ('invalid' as const),
      message,
      ...(allowed ? { allowed: [...allowed] } : {}),
    })),
    ...NEEDED.filter((binding) => answers[binding] === undefined && !wrong.has(binding)).map((binding) => ({
      binding,
      code: 'required' as const,
      message: `${getBindingLabel(config, binding)} is required`,
    })),
  ]
  if (errors.length === 0 && others.some(({ data: other }) => isSame(other, answers))) {
    errors.push({ binding: '@participant.email', code: 'invalid', message: 'the same person is named twice' })
  }
  return { answers, errors }
}

function split(data: Answers): [own: Answers, chosen: Answers] {
  const { own = [], chosen = [] } = Object.groupBy(Object.entries(data), ([binding]) => (FOR_THEM.test(binding) ? 'chosen' : 'own'))
  return [Object.fromEntries(own), Object.fromEntries(chosen)]
}

const withoutEmpty = (answers: Answers) => Object.fromEntries(Object.entries(answers).filter(([, value]) => value !== null))

const norm = (text: string | null) => (text ?? '').normalize('NFKC').trim().replaceAll(/\s+/g, ' ').toLowerCase()

function isSame(a: Answers, b: Answers): boolean {
  const [one, other] = [toIdentity(a, null), toIdentity(b, null)]
  return (['firstName', 'lastName', 'email'] as const).every((part) => norm(one[part]) === norm(other[part]))
}

/** Whether something is left that only the person can say, choose or agree to. */
export function leavesToPerson(snapshot: EventSnapshot, flow: Flow, { tags }: Pick<GroupRow, 'tags'>, answers: Answers): boolean {
  const walk = walkFlow(snapshot.config, flow, { answers, tags, timezone: snapshot.timezone, now: snapshot.at })
  const widgets = walk.pages.flatMap((page) => page.widgets).filter(({ visible }) => visible)
  const offered = widgets.flatMap(({ products }) => products)
  return (
    listMissingFields(snapshot.config, walk, { skipRequired: false }).length > 0 ||
    widgets.some(({ type }) => type === 'policy') ||
    (offered.length > 0 && !offered.some(({ quantity }) => quantity > 0))
  )
}
