import { z } from 'zod'
import { list, oneOf, text } from '../../../kernel/args.ts'
import { preconditionFailed } from '../../../kernel/errors.ts'
import { canEnterFlowWithTags } from '../../configuration/flow/collected-answers.ts'
import { evaluateFlow } from '../../configuration/flow/walk.ts'
import type { Configuration } from '../../configuration/read.ts'
import type { Flow } from '../../configuration/schema/event-config.ts'
import type { LookupResult } from '../../directories/look-up.ts'
import { buildEventPagePaths } from '../../tenancy/public-pages.ts'
import { toParticipantIdentity } from '../add.ts'
import type { Answers } from '../answers.ts'
import { createIncompleteRegistration } from '../begin.ts'
import { type DirectoryLookupResults, mergeDirectoryDataIntoAnswers } from '../flows/flow-directories.ts'
import { findInvitationForRegistration, redeemInvite } from '../invitations/use-invite.ts'
import { issueResumeRegistrationPath } from '../links.ts'
import { getQuestionLabel } from '../missing-fields.ts'
import {
  type VerifiedEmailContext,
  createFlowNotOpenError,
  findOpenFlows,
  type OpenFlows,
  listTagsBeforeFlowStart,
} from '../flows/open-flows.ts'
import { ParticipantAnswerError, normalizeAssistantAnswers } from './own-answers.ts'
import { collectAssignedTags } from '../participant-group.ts'
import type { ParticipantRow } from '../participant-shape.ts'
import { findDuplicateRegistration } from '../participant-rows.ts'
import { openFlowVisit } from '../flows/visits.ts'

const MATCH_STATUSES = ['new', 'existing_incomplete', 'existing_complete'] as const

/**
 * The result of a submission by an assistant. Fields are present only if they apply, for example the link only if there is a form to
 * continue.
 */
export const OwnSubmissionResult = {
  status: oneOf([...MATCH_STATUSES, 'validation_failed']),
  matchStatus: oneOf(MATCH_STATUSES).optional(),
  url: z.string().optional(),
  jwt: z.string().optional(),
  flowSlug: text().optional(),
  participantId: text().optional(),
  errors: list(ParticipantAnswerError).optional(),
}

type OwnSubmissionResult = z.input<z.ZodObject<typeof OwnSubmissionResult>>

interface Submitting {
  flowSlug?: string | undefined
  data: Answers
}

const NAME_BINDINGS = ['@participant.firstName', '@participant.lastName']
const EMAIL = '@participant.email'

/**
 * Creates an incomplete registration from the data that an assistant has about a verified person, who finishes it in the browser. For an
 * existing registration, returns its link and saves nothing.
 */
export async function submitOwnRegistration(
  ctx: VerifiedEmailContext,
  { flowSlug, data }: Submitting,
  said: DirectoryLookupResults,
): Promise<OwnSubmissionResult> {
  const open = await findOpenFlows(ctx)
  const { flow, looked } = chooseFlow(open, flowSlug, said)
  const { configuration } = open!
  const { [EMAIL]: _sent, ...given } = data
  const read = normalizeAssistantAnswers({ configuration, flow }, given)
  const errors = [...read.errors, ...findMissingNames(configuration, read)]
  if (errors.length > 0) return { status: 'validation_failed', errors }

  const completed = { ...mergeDirectoryDataIntoAnswers(configuration, flow, read.answers, looked), [EMAIL]: ctx.person.email }
  const { answers, invite } = await findInvitationForRegistration(ctx, flow, completed)
  const isTest = configuration.facts.testMode
  const twin = await findDuplicateRegistration(ctx, toParticipantIdentity(answers, null), { isTest, isVerified: true })
  if (twin) return toExistingResult(ctx, twin, flow)
  const snapshot = { config: configuration.config, versionId: configuration.versionId, isTest }
  const manualTags = open!.invited.get(flow.slug) ?? []
  const directoryTags = looked?.tags ?? []
  const row = await createIncompleteRegistration(ctx, { snapshot, flow, answers, manualTags, directoryTags, source: 'assistant' })
  await redeemInvite(ctx, invite, row)
  await startVisit(ctx, configuration, flow, row, answers)
  return { ...(await toContinueResult(ctx, 'new', row.id, flow.slug)), participantId: row.id }
}

/** Returns the requested flow, or the first flow that is open to this person. */
function chooseFlow(
  open: OpenFlows | null,
  flowSlug: string | undefined,
  said: DirectoryLookupResults,
): { flow: Flow; looked: LookupResult | undefined } {
  for (const flow of open?.flows ?? []) {
    const lookup = flow.directory === null ? undefined : said.get(flow.directory)
    const isTheirs = canEnterFlowWithTags(flow, [...listTagsBeforeFlowStart(open!, flow), ...(lookup?.tags ?? [])])
    if (isTheirs && (flowSlug === undefined || flow.slug === flowSlug)) return { flow, looked: lookup }
  }
  if (flowSlug === undefined) throw preconditionFailed('No registration is open to this person now')
  throw createFlowNotOpenError(flowSlug)
}

/** Returns the missing parts of the name. Only the name is required here; the participant fills in other answers later. */
function findMissingNames(
  { config }: Configuration,
  { answers, errors }: ReturnType<typeof normalizeAssistantAnswers>,
): ParticipantAnswerError[] {
  const wrong = new Set(errors.map(({ binding }) => binding))
  return NAME_BINDINGS.filter((binding) => answers[binding] == null && !wrong.has(binding)).map((binding) => ({
    binding,
    code: 'required',
    message: `${getQuestionLabel(config, binding)} is required`,
  }))
}

async function toExistingResult(ctx: VerifiedEmailContext, twin: ParticipantRow, flow: Flow): Promise<OwnSubmissionResult> {
  if (twin.status === 'incomplete') return toContinueResult(ctx, 'existing_incomplete', twin.id, twin.flow_slug ?? flow.slug)
  const url = `${buildEventPagePaths(ctx).signIn}?email=${encodeURIComponent(ctx.person.email)}`
  return { status: 'existing_complete', matchStatus: 'existing_complete', url }
}

async function toContinueResult(
  ctx: VerifiedEmailContext,
  status: 'new' | 'existing_incomplete',
  id: string,
  flowSlug: string,
): Promise<OwnSubmissionResult> {
  const { path, token } = await issueResumeRegistrationPath(ctx, id, flowSlug)
  return { status, matchStatus: status, url: path, jwt: token, flowSlug }
}

/** Records that the participant started the flow, which they complete in the browser. */
async function startVisit(
  ctx: VerifiedEmailContext,
  { config, facts, versionId }: Configuration,
  flow: Flow,
  row: ParticipantRow,
  answers: Answers,
) {
  const walk = evaluateFlow(config, flow, { answers, tags: collectAssignedTags(row, null), timezone: facts.timezone, now: facts.now })
  await openFlowVisit(ctx, {
    flowSlug: flow.slug,
    versionId,
    page: walk.next(null) ?? flow.pages[0]!.code,
    device: 'assistant',
    participantId: row.id,
    isTestData: row.is_test_data,
  })
}
