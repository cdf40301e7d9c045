import { recordChange } from '../../kernel/audit.ts'
import type { FieldError } from '../../kernel/errors.ts'
import { toFieldError } from '../../kernel/field-reasons.ts'
import { toParticipantAnswerColumns } from '../registration/answers.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'
import { type InviteListEntry, lockInviteOfParticipant } from '../registration/invitations/invites.ts'
import {
  ACCEPTED_INVITE_CODE_ANSWER,
  findInviteByCode,
  INVITE_CODE_ANSWER_KEY,
  findInvitationForRegistration,
  redeemInvite,
} from '../registration/invitations/use-invite.ts'
import { updateParticipant } from '../registration/participant-rows.ts'
import { recalculateTags } from '../registration/tags.ts'
import { loadRegistrationProgress, type RegistrationProgress } from './progress.ts'

/**
 * Returns an error if another person has entered the same invitation code later. The invitation belongs to the person who entered its code
 * last.
 */
export async function findInvitationTakenErrors(
  ctx: RegistrationContext,
  { row, answers, walk }: RegistrationProgress,
): Promise<readonly FieldError[]> {
  if (answers[INVITE_CODE_ANSWER_KEY] !== ACCEPTED_INVITE_CODE_ANSWER || walk.answer(INVITE_CODE_ANSWER_KEY) === undefined) return []
  return (await lockInviteOfParticipant(ctx, row.id)) ? [] : [toFieldError(INVITE_CODE_ANSWER_KEY, 'error.inviteUsed')]
}

/**
 * Accepts the invitation of a person on the flow's invite list who has verified the email address, so that the form asks for no code. Their
 * registration gets the tags of the invite list.
 */
export async function acceptInviteFromInviteList(ctx: RegistrationContext, participantId: string): Promise<void> {
  const { row, flow, snapshot, answers } = await loadRegistrationProgress(ctx, participantId)
  if (row.status !== 'incomplete' || row.email_unverified || answers[INVITE_CODE_ANSWER_KEY] === ACCEPTED_INVITE_CODE_ANSWER) return
  const { invite } = await findInvitationForRegistration(ctx, flow, { '@participant.email': row.email }, row.id)
  if (!invite) return
  const updated = await updateParticipant(ctx, row, {
    ...toParticipantAnswerColumns({ ...answers, [INVITE_CODE_ANSWER_KEY]: ACCEPTED_INVITE_CODE_ANSWER }),
    manual_tags: [...new Set([...row.manual_tags, ...invite.tags])],
  })
  recordChange(ctx, {
    kind: 'participant',
    id: row.id,
    before: { manualTags: row.manual_tags },
    after: { [INVITE_CODE_ANSWER_KEY]: ACCEPTED_INVITE_CODE_ANSWER, manualTags: updated.manual_tags },
  })
  await redeemInvite(ctx, invite, updated)
  await recalculateTags(ctx, snapshot.config, [row.id])
}

interface InviteChoice {
  /** The answers with the invitation code replaced by `ACCEPTED_INVITE_CODE_ANSWER`, or by null if the code is invalid. */
  answers: RegistrationProgress['answers']
  errors: readonly FieldError[]
  invite: InviteListEntry | null
}

/** Validates the invitation code entered on a page. A code accepted earlier stays valid. */
export async function readInviteCode(
  ctx: RegistrationContext,
  { row, flow, answers: before }: RegistrationProgress,
  answers: RegistrationProgress['answers'],
): Promise<InviteChoice> {
  const code = answers[INVITE_CODE_ANSWER_KEY]
  if (before[INVITE_CODE_ANSWER_KEY] === ACCEPTED_INVITE_CODE_ANSWER)
    return { answers: { ...answers, [INVITE_CODE_ANSWER_KEY]: ACCEPTED_INVITE_CODE_ANSWER }, errors: [], invite: null }
  if (typeof code !== 'string') return { answers, errors: [], invite: null }
  const { invite, problem } = await findInviteByCode(ctx, flow, code, row.id)
  if (problem !== null)
    return {
      answers: { ...answers, [INVITE_CODE_ANSWER_KEY]: null },
      errors: [toFieldError(INVITE_CODE_ANSWER_KEY, `error.${problem}`)],
      invite: null,
    }
  return { answers: { ...answers, [INVITE_CODE_ANSWER_KEY]: ACCEPTED_INVITE_CODE_ANSWER }, errors: [], invite }
}
