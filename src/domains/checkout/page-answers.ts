import type { FieldError } from '../../kernel/errors.ts'
import { toParticipantIdentity } from '../registration/add.ts'
import { normalizeAnswers } from '../registration/answers.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'
import { findConflictingRegistration } from '../registration/participant-rows.ts'
import { GROUP_CODE_ANSWER_KEY, readGroupCode } from './group-choice.ts'
import type { InviteListEntry } from '../registration/invitations/invites.ts'
import { readInviteCode } from './invite-choice.ts'
import type { RegistrationProgress } from './progress.ts'
import type { SubmittedPage } from './sent-page.ts'
import { emailAboutExistingRegistration } from './start-registration.ts'

interface PageAnswers {
  /** All answers of the registration, including the valid answers of this page. */
  answers: RegistrationProgress['answers']
  /** The invitation whose code was entered on this page. */
  invite: InviteListEntry | null
  /** The join code of the chosen group. */
  joinCode: string | null
  errors: FieldError[]
}

interface OtherAnswers {
  /** Answers that are not text fields (files, directory lookups and guests), and their errors. */
  others?: { answers: Readonly<Record<string, unknown>>; errors: readonly FieldError[] } | undefined
  /** Whether too many wrong group codes were entered recently, so that the code on this page is not checked. */
  isGroupCodeLimited?: boolean
}

/** Validates the answers of a page and adds them to the stored ones. */
export async function validateAndMergePageAnswers(
  ctx: RegistrationContext,
  progress: RegistrationProgress,
  sent: SubmittedPage,
  { others = { answers: {}, errors: [] }, isGroupCodeLimited = false }: OtherAnswers = {},
): Promise<PageAnswers> {
  const { snapshot, flow, answers: previous } = progress
  const read = normalizeAnswers({ config: snapshot.config, flow, previous, isPublic: true }, sent.answers)
  const { invite, ...invited } = await readInviteCode(ctx, progress, { ...previous, ...read.answers, ...others.answers })
  const { answers, joinCode, ...grouped } = await readGroupCode(ctx, progress, invited.answers, {
    isAsked: GROUP_CODE_ANSWER_KEY in sent.answers,
    isLimited: isGroupCodeLimited,
  })
  return { answers, invite, joinCode, errors: [...sent.errors, ...read.errors, ...others.errors, ...invited.errors, ...grouped.errors] }
}

/**
 * If the same person already has another registration, notifies them by email and returns true. A registration with an unverified mailbox
 * is not compared: its visitor finishes it without learning whether the person is registered.
 */
export async function notifyIfAlreadyRegistered(
  ctx: RegistrationContext,
  { row, snapshot }: RegistrationProgress,
  answers: RegistrationProgress['answers'],
): Promise<boolean> {
  if (snapshot.isTest) return false
  const duplicate = await findConflictingRegistration(
    ctx,
    row,
    toParticipantIdentity({ ...answers, '@participant.email': row.email }, null),
  )
  if (!duplicate) return false
  await emailAboutExistingRegistration(ctx, duplicate, { address: row.email!, locale: row.language })
  return true
}
