import { z } from 'zod'
import { list, oneOf, text } from '../../kernel/args.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { directoryBinding, isFlowFor } from '../configuration/flow/collects.ts'
import { walkFlow } from '../configuration/flow/walk.ts'
import type { Configuration } from '../configuration/read.ts'
import type { Flow } from '../configuration/schema/event-config.ts'
import type { LookedUp } from '../directories/look-up.ts'
import { eventPaths } from '../tenancy/public-pages.ts'
import { identityOf } from './add.ts'
import { type Answers, readAnswers } from './answers.ts'
import { beginRegistration } from './begin.ts'
import type { Directories } from './flow-directories.ts'
import { finishPath } from './links.ts'
import { labelOf } from './missing.ts'
import { type AtPerson, notOpenTo, openFlowsFor, type OpenFlows, tagsBefore } from './open-flows.ts'
import { AnswerFault, readOwnAnswers } from './own-answers.ts'
import { givenTags } from './own-group.ts'
import type { ParticipantRow } from './participant-shape.ts'
import { findTwin } from './people.ts'
import { openVisit } from './visits.ts'

const MATCHES = ['new', 'existing_incomplete', 'existing_complete'] as const

/** Each is there exactly when it means something: a link with its token only where there is a form to go on with. */
export const SubmittedOwn = {
  status: oneOf([...MATCHES, 'validation_failed']),
  matchStatus: oneOf(MATCHES).optional(),
  url: z.string().optional(),
  jwt: z.string().optional(),
  flowSlug: text().optional(),
  participantId: text().optional(),
  errors: list(AnswerFault).optional(),
}

type SubmittedOwn = z.input<z.ZodObject<typeof SubmittedOwn>>

interface Submitting {
  flowSlug?: string | undefined
  data: Answers
}

const NAMES = ['@participant.firstName', '@participant.lastName']
const EMAIL = '@participant.email'

/**
 * Begins a registration with what an assistant knows of a verified person, who finishes it at the link. Whoever has one already is led there,
 * and nothing is saved.
 */
export async function submitOwnRegistration(ctx: AtPerson, { flowSlug, data }: Submitting, said: Directories): Promise<SubmittedOwn> {
  const open = await openFlowsFor(ctx)
  const { flow, looked } = chooseFlow(open, flowSlug, said)
  const { configuration } = open!
  const { [EMAIL]: _sent, ...given } = data
  const read = readOwnAnswers({ configuration, flow }, given)
  const errors = [...read.errors, ...unnamed(configuration, read)]
  if (errors.length > 0) return { status: 'validation_failed', errors }

  const answers = { ...withDirectory(configuration, flow, read.answers, looked), [EMAIL]: ctx.person.email }
  const isTest = configuration.facts.testMode
  const twin = await findTwin(ctx, identityOf(answers, null), { isTest })
  if (twin) return existing(ctx, twin, flow)
  const scene = { config: configuration.config, versionId: configuration.versionId, isTest }
  const manualTags = open!.invited.get(flow.slug) ?? []
  const directoryTags = looked?.tags ?? []
  const row = await beginRegistration(ctx, { scene, flow, answers, manualTags, directoryTags, source: 'assistant' })
  await noteVisit(ctx, configuration, flow, row, answers)
  return { ...(await continuing(ctx, 'new', row.id, flow.slug)), participantId: row.id }
}

/** Named, or the first that is for them. */
function chooseFlow(open: OpenFlows | null, flowSlug: string | undefined, said: Directories): { flow: Flow; looked: LookedUp | undefined } {
  for (const flow of open?.flows ?? []) {
    const looked = flow.directory === null ? undefined : said.get(flow.directory)
    const isTheirs = isFlowFor(flow, [...tagsBefore(open!, flow), ...(looked?.tags ?? [])])
    if (isTheirs && (flowSlug === undefined || flow.slug === flowSlug)) return { flow, looked }
  }
  if (flowSlug === undefined) throw preconditionFailed('No registration is open to this person now')
  throw notOpenTo(flowSlug)
}

/** Everything else may be left for the person to fill in. */
function unnamed({ config }: Configuration, { answers, errors }: ReturnType<typeof readOwnAnswers>): AnswerFault[] {
  const wrong = new Set(errors.map(({ binding }) => binding))
  return NAMES.filter((binding) => answers[binding] == null && !wrong.has(binding)).map((binding) => ({
    binding,
    code: 'required',
    message: `${labelOf(config, binding)} is required`,
  }))
}

/** What a directory knows fills what was left open, or replaces what was said, as the connection has it. */
function withDirectory({ config }: Configuration, flow: Flow, answers: Answers, looked: LookedUp | undefined): Record<string, unknown> {
  if (!looked || flow.directory === null) return { ...answers }
  const known = readAnswers({ config, flow }, looked.answers).answers
  const filled = Object.entries(known).filter(
    ([binding, value]) => value != null && (looked.modes[binding] !== 'prefill' || answers[binding] == null),
  )
  return { ...answers, ...Object.fromEntries(filled), [directoryBinding(flow.directory)]: looked.outcome }
}

async function existing(ctx: AtPerson, twin: ParticipantRow, flow: Flow): Promise<SubmittedOwn> {
  if (twin.status === 'incomplete') return continuing(ctx, 'existing_incomplete', twin.id, twin.flow_slug ?? flow.slug)
  const url = `${eventPaths(ctx).signIn}?email=${encodeURIComponent(ctx.person.email)}`
  return { status: 'existing_complete', matchStatus: 'existing_complete', url }
}

async function continuing(ctx: AtPerson, status: 'new' | 'existing_incomplete', id: string, flowSlug: string): Promise<SubmittedOwn> {
  const { path, token } = await finishPath(ctx, id, flowSlug)
  return { status, matchStatus: status, url: path, jwt: token, flowSlug }
}

/** Their run through the flow begins here; the browser goes on with it. */
async function noteVisit(ctx: AtPerson, { config, facts, versionId }: Configuration, flow: Flow, row: ParticipantRow, answers: Answers) {
  const walk = walkFlow(config, flow, { answers, tags: givenTags(row, null), timezone: facts.timezone, now: facts.now })
  await openVisit(ctx, {
    flowSlug: flow.slug,
    versionId,
    page: walk.next(null) ?? flow.pages[0]!.code,
    device: 'assistant',
    participantId: row.id,
    isTestData: row.is_test_data,
  })
}
