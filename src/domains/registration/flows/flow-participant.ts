import type { EventContext } from '../../../kernel/context.ts'
import { type FieldError, invalidArguments, preconditionFailed } from '../../../kernel/errors.ts'
import { createUnknownNameFieldError } from '../../../kernel/nearest.ts'
import { type Configuration, readDraftConfiguration, readConfigForRegistration } from '../../configuration/read.ts'
import type { EventConfig, Flow } from '../../configuration/schema/event-config.ts'
import { toSessionChoiceAnswers } from '../../sessions/context.ts'
import { listActiveEnrolments } from '../../sessions/enrolments.ts'
import { type Answers, readStoredAnswers, normalizeAnswers, findAnswerRules } from '../answers.ts'
import { listSoldOrderLines, sumQuantitiesByProduct } from '../sale/holdings.ts'
import { resolveParticipant } from '../find/resolve-participant.ts'
import { collectAssignedTags, findGroupOfParticipant } from '../participant-group.ts'
import { type ParticipantRow, PARTICIPANT_PROPERTY_COLUMNS } from '../participant-shape.ts'
import { listGuests } from '../participant-rows.ts'
import { type RegistrationContext, getFlow } from '../event-snapshot.ts'

/** A real or hypothetical participant with the flow that they fill in. `tags` excludes tags that the flow and its products add. */
export interface FlowParticipant {
  configuration: Configuration
  flow: Flow
  tags: readonly string[]
  answers: Answers
  /** Validation errors by binding (identifier of the question). */
  errors: ReadonlyMap<string, string>
  participant: ParticipantRow | null
}

export interface FlowDescriptionRequest {
  participantId?: string | undefined
  flowSlug?: string | undefined
  asTags?: readonly string[] | undefined
  answers?: Answers | undefined
  draft: boolean
}

export async function readFlowParticipant(ctx: EventContext, described: FlowDescriptionRequest): Promise<FlowParticipant> {
  const { participantId, flowSlug, asTags = [], answers = {} } = described
  assertOneSelector(described)
  const configuration = await configurationFor(ctx, described.draft)
  const { config } = configuration
  if (participantId === undefined) {
    const flow = getFlow(configuration, flowSlug!)
    const known = config.tags.map(({ code }) => code)
    const problems = asTags.flatMap((tag, at) =>
      known.includes(tag) ? [] : [createUnknownNameFieldError(`asTags[${at}]`, tag, known, 'tag')],
    )
    const read = normalizeAnswers({ config, flow }, filterTypedAnswers(answers))
    problems.push(...read.errors.filter((one) => isUnknownField(config, one)).map((one) => ({ ...one, path: `answers.${one.path}` })))
    if (problems.length > 0) throw invalidArguments(problems)
    return {
      configuration,
      flow,
      tags: asTags,
      answers: { ...answers, ...read.answers },
      errors: toErrorsByBinding(read.errors),
      participant: null,
    }
  }
  const row = await resolveParticipant(ctx, participantId, { includeTestData: true })
  return loadFlowParticipant(ctx, configuration, getFlow(configuration, row.flow_slug ?? ''), row)
}

/** Loads a participant with their stored answers, to evaluate one flow for them. */
export async function loadFlowParticipant(
  ctx: RegistrationContext,
  configuration: Configuration,
  flow: Flow,
  row: ParticipantRow,
): Promise<FlowParticipant & { participant: ParticipantRow }> {
  const stored = { ...readStoredAnswers(row), ...(await readBookingsAsAnswers(ctx, row)) }
  const { errors } = normalizeAnswers({ config: configuration.config, flow, previous: stored }, filterTypedAnswers(stored))
  const tags = collectAssignedTags(row, await findGroupOfParticipant(ctx, row))
  return { configuration, flow, tags, answers: stored, errors: toErrorsByBinding(errors), participant: row }
}

function assertOneSelector({ participantId, flowSlug, asTags, answers }: FlowDescriptionRequest): void {
  if ((participantId === undefined) === (flowSlug === undefined))
    throw invalidArguments(['participantId', 'flowSlug'].map((path) => ({ path, message: 'pass one of participantId and flowSlug' })))
  const given = Object.entries({ asTags, answers }).filter(([, value]) => value !== undefined)
  if (participantId !== undefined && given.length > 0)
    throw invalidArguments(given.map(([path]) => ({ path, message: 'is only allowed with flowSlug; a participant has their own' })))
}

async function configurationFor(ctx: EventContext, useDraft: boolean): Promise<Configuration> {
  const used = await (useDraft ? readDraftConfiguration(ctx) : readConfigForRegistration(ctx))
  if (!used) throw preconditionFailed(`${ctx.event.code} is not published yet. Pass draft: true to see the draft.`)
  return used
}

/**
 * Keeps only answers that a participant types. Results of directory lookups, directory entries and rooms have no answer format to check.
 */
const filterTypedAnswers = (answers: Answers): Answers =>
  Object.fromEntries(Object.entries(answers).filter(([binding]) => !/^@(lookup|directory|housing)\./.test(binding)))

const toErrorsByBinding = (errors: readonly FieldError[]) => new Map(errors.map(({ path, message }) => [path, message]))

/**
 * Whether the event has no such field, which is an error of the caller. An invalid answer to an existing field is reported as an error of
 * the participant instead.
 */
const isUnknownField = (config: EventConfig, { path }: FieldError) => findAnswerRules(config, path) === null

/** Reads the booked products, guests and sessions of a complete registration as answers, by binding (identifier of the question). */
export async function readBookingsAsAnswers(ctx: RegistrationContext, row: ParticipantRow): Promise<Record<string, unknown>> {
  if (row.status !== 'complete') return {}
  const [lines, guests] = [await listSoldOrderLines(ctx, [row.id]), await listGuests(ctx, row.id)]
  const sessions = (await listActiveEnrolments(ctx, row.id)).map(({ sessionId }) => sessionId)
  const products = [...sumQuantitiesByProduct(lines)].map(([code, quantity]) => [`@product.${code}`, quantity] as const)
  const people = guests.flatMap((guest, at) => [
    [`@guest.${at + 1}.type`, guest.guest_type] as const,
    ...Object.entries(PARTICIPANT_PROPERTY_COLUMNS).map(([name, column]) => [`@guest.${at + 1}.${name}`, guest[column]] as const),
  ])
  return { ...Object.fromEntries([...products, ...people.filter(([, value]) => value !== null)]), ...toSessionChoiceAnswers(sessions) }
}
