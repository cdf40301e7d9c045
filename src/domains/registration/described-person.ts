import type { EventContext } from '../../kernel/context.ts'
import { type FieldError, invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { unknownFault } from '../../kernel/nearest.ts'
import { type Configuration, readDraft, readInUse } from '../configuration/read.ts'
import type { EventConfig, Flow } from '../configuration/schema/event-config.ts'
import { asAnswers } from '../sessions/at-event.ts'
import { liveEnrolments } from '../sessions/enrolments.ts'
import { type Answers, answersOf, readAnswers, rulesOfBinding } from './answers.ts'
import { holdingsOf, quantitiesOf } from './holdings.ts'
import { resolveParticipant } from './named-participant.ts'
import { givenTags, groupOf } from './own-group.ts'
import { type ParticipantRow, PROPERTY_COLUMNS } from './participant-shape.ts'
import { guestsOf } from './people.ts'
import { type AtEvent, getFlow } from './scene.ts'

/** Somebody before a flow: with what they answered, and the tags they have without it. */
export interface DescribedPerson {
  configuration: Configuration
  flow: Flow
  tags: readonly string[]
  answers: Answers
  /** Answers that cannot be kept, by binding. */
  errors: ReadonlyMap<string, string>
  participant: ParticipantRow | null
}

export interface Described {
  participantId?: string | undefined
  flowSlug?: string | undefined
  asTags?: readonly string[] | undefined
  answers?: Answers | undefined
  draft: boolean
}

export async function readDescribed(ctx: EventContext, described: Described): Promise<DescribedPerson> {
  const { participantId, flowSlug, asTags = [], answers = {} } = described
  refuseUnclear(described)
  const configuration = await configurationFor(ctx, described.draft)
  const { config } = configuration
  if (participantId === undefined) {
    const flow = getFlow(configuration, flowSlug!)
    const known = config.tags.map(({ code }) => code)
    const faults = asTags.flatMap((tag, at) => (known.includes(tag) ? [] : [unknownFault(`asTags[${at}]`, tag, known, 'tag')]))
    const read = readAnswers({ config, flow }, checkable(answers))
    faults.push(...read.errors.filter((one) => isStrange(config, one)).map((one) => ({ ...one, path: `answers.${one.path}` })))
    if (faults.length > 0) throw invalidArguments(faults)
    return {
      configuration,
      flow,
      tags: asTags,
      answers: { ...answers, ...read.answers },
      errors: byBinding(read.errors),
      participant: null,
    }
  }
  const row = await resolveParticipant(ctx, participantId, { includeTestData: true })
  return personBefore(ctx, configuration, getFlow(configuration, row.flow_slug ?? ''), row)
}

/** Somebody who has begun, before their flow. */
export async function personBefore(
  ctx: AtEvent,
  configuration: Configuration,
  flow: Flow,
  row: ParticipantRow,
): Promise<DescribedPerson & { participant: ParticipantRow }> {
  const stored = { ...answersOf(row), ...(await heldBy(ctx, row)) }
  const { errors } = readAnswers({ config: configuration.config, flow, previous: stored }, checkable(stored))
  const tags = givenTags(row, await groupOf(ctx, row))
  return { configuration, flow, tags, answers: stored, errors: byBinding(errors), participant: row }
}

function refuseUnclear({ participantId, flowSlug, asTags, answers }: Described): void {
  if ((participantId === undefined) === (flowSlug === undefined))
    throw invalidArguments(['participantId', 'flowSlug'].map((path) => ({ path, message: 'pass one of participantId and flowSlug' })))
  const given = Object.entries({ asTags, answers }).filter(([, value]) => value !== undefined)
  if (participantId !== undefined && given.length > 0)
    throw invalidArguments(given.map(([path]) => ({ path, message: 'goes with flowSlug; a participant has their own' })))
}

async function configurationFor(ctx: EventContext, useDraft: boolean): Promise<Configuration> {
  const used = await (useDraft ? readDraft(ctx) : readInUse(ctx))
  if (!used) throw preconditionFailed(`${ctx.event.code} is not published yet — pass draft: true to see the draft`)
  return used
}

/** Lookups, rooms and what else is kept as it came is nothing that a person types. */
const checkable = (answers: Answers): Answers =>
  Object.fromEntries(Object.entries(answers).filter(([binding]) => !/^@(lookup|directory|housing)\./.test(binding)))

const byBinding = (errors: readonly FieldError[]) => new Map(errors.map(({ path, message }) => [path, message]))

/** An answer to no question at all is a slip of whoever describes the person; a wrong answer is the person's. */
const isStrange = (config: EventConfig, { path }: FieldError) => rulesOfBinding(config, path) === null

/** What somebody bought, hears and whom they brought, as they would have answered it. */
export async function heldBy(ctx: AtEvent, row: ParticipantRow): Promise<Record<string, unknown>> {
  if (row.status !== 'complete') return {}
  const [lines, guests] = [await holdingsOf(ctx, [row.id]), await guestsOf(ctx, row.id)]
  const sessions = (await liveEnrolments(ctx, row.id)).map(({ sessionId }) => sessionId)
  const products = [...quantitiesOf(lines)].map(([code, quantity]) => [`@product.${code}`, quantity] as const)
  const people = guests.flatMap((guest, at) => [
    [`@guest.${at + 1}.type`, guest.guest_type] as const,
    ...Object.entries(PROPERTY_COLUMNS).map(([name, column]) => [`@guest.${at + 1}.${name}`, guest[column]] as const),
  ])
  return { ...Object.fromEntries([...products, ...people.filter(([, value]) => value !== null)]), ...asAnswers(sessions) }
}
