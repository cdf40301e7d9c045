import { type FieldError, SerializationConflict } from '../../../kernel/errors.ts'
import type { Flow } from '../../configuration/schema/event-config.ts'
import type { Answers } from '../answers.ts'
import type { RegistrationContext } from '../event-snapshot.ts'
import { getParticipants } from '../participant-rows.ts'
import type { ParticipantRow } from '../participant-shape.ts'
import { findInvite, findInviteStatus, type InviteListEntry, isInviteUsed, linkInviteToParticipant, markInviteAsUsed } from './invites.ts'

export const INVITE_CODE_ANSWER_KEY = '@invite.code'

/**
 * The answer that is stored in place of a valid invitation code. The code itself is never stored; the participant is linked to the entry of
 * the invite list.
 */
export const ACCEPTED_INVITE_CODE_ANSWER = 'listed'

/** Why an invitation code is not valid: unknown, revoked, for another flow, or used by another person. */
export type InvitationError = 'inviteUnknown' | 'inviteEnded' | 'inviteOther' | 'inviteUsed'

export async function findInviteByCode(
  ctx: RegistrationContext,
  flow: Flow,
  code: string,
  participantId: string | null,
): Promise<{ invite: InviteListEntry; problem: null } | { invite: null; problem: InvitationError }> {
  const invite = await findInvite(ctx, flow, { code })
  if (!invite) return { invite: null, problem: await explainUnknownCode(ctx, code) }
  return isInviteUsed(invite, participantId) ? { invite: null, problem: 'inviteUsed' } : { invite, problem: null }
}

async function explainUnknownCode(ctx: RegistrationContext, code: string): Promise<InvitationError> {
  const status = await findInviteStatus(ctx, code)
  if (status === null) return 'inviteUnknown'
  return status === 'removed' ? 'inviteEnded' : 'inviteOther'
}

const PROBLEM_MESSAGES: Record<InvitationError, string> = {
  inviteUnknown: 'there is no invitation with this code',
  inviteEnded: 'this invitation was withdrawn',
  inviteOther: 'this code is an invitation to another form',
  inviteUsed: 'another person has registered with this invitation',
}

/** The answers, in which a valid invitation code is replaced by `ACCEPTED_INVITE_CODE_ANSWER`, and the invitation itself. */
interface InvitedAnswers {
  answers: Record<string, unknown>
  invite: InviteListEntry | null
  errors: FieldError[]
}

/**
 * Finds the invitation for a registration with a verified email address: by the code in its answers, otherwise by the address. A person on
 * the invite list needs no code. `participantId` is null for a new registration.
 */
export async function findInvitationForRegistration(
  ctx: RegistrationContext,
  flow: Flow,
  answers: Answers,
  participantId: string | null = null,
): Promise<InvitedAnswers> {
  const code = answers[INVITE_CODE_ANSWER_KEY]
  if (typeof code === 'string') {
    const { invite, problem } = await findInviteByCode(ctx, flow, code, participantId)
    if (problem !== null)
      return { answers: { ...answers }, invite, errors: [{ path: INVITE_CODE_ANSWER_KEY, message: PROBLEM_MESSAGES[problem] }] }
    return { answers: { ...answers, [INVITE_CODE_ANSWER_KEY]: ACCEPTED_INVITE_CODE_ANSWER }, invite, errors: [] }
  }
  const email = answers['@participant.email']
  const listed = typeof email === 'string' ? await findInvite(ctx, flow, { email }) : null
  if (!listed || isInviteUsed(listed, participantId) || (await isHeldByOther(ctx, listed, participantId)))
    return { answers: { ...answers }, invite: null, errors: [] }
  return { answers: { ...answers, [INVITE_CODE_ANSWER_KEY]: ACCEPTED_INVITE_CODE_ANSWER }, invite: listed, errors: [] }
}

/**
 * Whether another person with the same mailbox has begun a registration with this invitation. A registration without a name does not count,
 * because the same person may have started it.
 */
async function isHeldByOther(
  ctx: RegistrationContext,
  { participant_id }: InviteListEntry,
  participantId: string | null,
): Promise<boolean> {
  if (participant_id === null || participant_id === participantId) return false
  const [holder] = await getParticipants(ctx, [participant_id])
  return holder !== undefined && holder.status !== 'cancelled' && holder.last_name !== null
}

/**
 * Links the invitation to the registration that it was used for. Test registrations do not use up invitations. If another person
 * concurrently registered with the invitation, throws so that the transaction is retried.
 */
export async function redeemInvite(
  ctx: RegistrationContext,
  invite: InviteListEntry | null,
  { id, status, is_test_data }: ParticipantRow,
): Promise<void> {
  if (!invite || is_test_data) return
  if (!(await linkInviteToParticipant(ctx, invite, id)))
    throw new SerializationConflict('the invitation was used by a concurrent transaction')
  if (status === 'complete' || status === 'waitlisted') await markInviteAsUsed(ctx, id)
}
