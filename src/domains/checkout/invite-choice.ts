import { recordChange } from '../../kernel/audit.ts'
import type { FieldError } from '../../kernel/errors.ts'
import { toFieldError } from '../../kernel/field-reasons.ts'
import { toParticipantAnswerColumns } from '../registration/answers.ts'
import type { EventScope } from '../registration/event-snapshot.ts'
import { type InviteListEntry, lockInviteOf } from '../registration/invitations/invites.ts'
import {
  ACCEPTED_INVITE_ANSWER,
  findInviteByCode,
  INVITE_CODE_BINDING,
  readInvitation,
  useInvite,
} from '../registration/invitations/use-invite.ts'
import { updateParticipant } from '../registration/participant-rows.ts'
import { recalculateTags } from '../registration/tags.ts'
import { loadProgress, type RegistrationProgress } from './progress.ts'

/**
 * Returns an error if another person has entered the same invitation code later. The invitation belongs to the person who entered its code
 * last.
 */
export async function checkInviteStillHeld(ctx: EventScope, { row, answers, walk }: RegistrationProgress): Promise<readonly FieldError[]> {
  if (answers[INVITE_CODE_BINDING] !== ACCEPTED_INVITE_ANSWER || walk.answer(INVITE_CODE_BINDING) === undefined) return []
  return (await lockInviteOf(ctx, row.id)) ? [] : [toFieldError(INVITE_CODE_BINDING, 'error.inviteUsed')]
}

/**
 * Accepts the invitation of a person on the flow's invite list who has verified the email address, so that the form asks for no code. Their
 * registration gets the tags of the invite list.
 */
export async function acceptListedInvitation(ctx: EventScope, participantId: string): Promise<void> {
  const { row, flow, snapshot, answers } = await loadProgress(ctx, participantId)
  if (row.status !== 'incomplete' || row.email_unverified || answers[INVITE_CODE_BINDING] === ACCEPTED_INVITE_ANSWER) return
  const { invite } = await readInvitation(ctx, flow, { '@participant.email': row.email }, row.id)
  if (!invite) return
  const updated = await updateParticipant(ctx, row, {
    ...toParticipantAnswerColumns({ ...answers, [INVITE_CODE_BINDING]: ACCEPTED_INVITE_ANSWER }),
    manual_tags: [...new Set([...row.manual_tags, ...invite.tags])],
  })
  recordChange(ctx, {
    kind: 'participant',
    id: row.id,
    before: { manualTags: row.manual_tags },
    after: { [INVITE_CODE_BINDING]: ACCEPTED_INVITE_ANSWER, manualTags: updated.manual_tags },
  })
  await useInvite(ctx, invite, updated)
  await recalculateTags(ctx, snapshot.config, [row.id])
}

interface InviteChoice {
  /** The answers with the invitation code replaced by `ACCEPTED_INVITE_ANSWER`, or by null if the code is invalid. */
  answers: RegistrationProgress['answers']
  errors: readonly FieldError[]
  invite: InviteListEntry | null
}

/** Validates the invitation code entered on a page. A code accepted earlier stays valid. */
export async function readInviteCode(
  ctx: EventScope,
  { row, flow, answers: before }: RegistrationProgress,
  answers: RegistrationProgress['answers'],
): Promise<InviteChoice> {
  const code = answers[INVITE_CODE_BINDING]
  if (before[INVITE_CODE_BINDING] === ACCEPTED_INVITE_ANSWER)
    return { answers: { ...answers, [INVITE_CODE_BINDING]: ACCEPTED_INVITE_ANSWER }, errors: [], invite: null }
  if (typeof code !== 'string') return { answers, errors: [], invite: null }
  const { invite, problem } = await findInviteByCode(ctx, flow, code, row.id)
  if (problem !== null)
    return {
      answers: { ...answers, [INVITE_CODE_BINDING]: null },
      errors: [toFieldError(INVITE_CODE_BINDING, `error.${problem}`)],
      invite: null,
    }
  return { answers: { ...answers, [INVITE_CODE_BINDING]: ACCEPTED_INVITE_ANSWER }, errors: [], invite }
}
