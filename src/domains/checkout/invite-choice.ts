import type { FieldError } from '../../kernel/errors.ts'
import { toFieldError } from '../../kernel/field-reasons.ts'
import type { EventScope } from '../registration/event-snapshot.ts'
import { type Invite, lockInviteOf } from '../registration/invitations/invites.ts'
import { ACCEPTED_INVITE_ANSWER, findInviteByCode, INVITE_CODE_BINDING } from '../registration/invitations/use-invite.ts'
import type { Progress } from './progress.ts'

/** Returns an error if another person has entered the same invitation code in the meantime. The last person to enter a code keeps it. */
export async function checkInviteStillHeld(ctx: EventScope, { row, answers, walk }: Progress): Promise<readonly FieldError[]> {
  if (answers[INVITE_CODE_BINDING] !== ACCEPTED_INVITE_ANSWER || walk.answer(INVITE_CODE_BINDING) === undefined) return []
  return (await lockInviteOf(ctx, row.id)) ? [] : [toFieldError(INVITE_CODE_BINDING, 'error.inviteUsed')]
}

interface InviteChoice {
  /** The answers with the invitation code replaced by `ACCEPTED_INVITE_ANSWER`, or by null if the code is invalid. */
  answers: Progress['answers']
  errors: readonly FieldError[]
  invite: Invite | null
}

/** Validates the invitation code entered on a page. A code accepted earlier stays valid. */
export async function readInviteCode(
  ctx: EventScope,
  { row, flow, answers: before }: Progress,
  answers: Progress['answers'],
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
