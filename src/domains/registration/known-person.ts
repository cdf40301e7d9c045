import type { FieldError } from '../../kernel/errors.ts'
import type { Flow } from '../configuration/schema/event-config.ts'
import type { LookupResult } from '../directories/look-up.ts'
import type { Answers } from './answers.ts'
import type { RegistrationContext, EventSnapshot } from './event-snapshot.ts'
import { mergeDirectoryDataIntoAnswers } from './flows/flow-directories.ts'
import type { InviteListEntry } from './invitations/invites.ts'
import { findInvitationForRegistration } from './invitations/use-invite.ts'

/** The stored data about a person who is registered by someone else: directory record and invitation. */
export interface PersonPrefillData {
  /** The given answers, completed with data from the directory record and the invitation. */
  answers: Answers
  manualTags: readonly string[]
  directoryTags: readonly string[]
  invite: InviteListEntry | null
  errors: FieldError[]
}

interface PersonToKnow {
  snapshot: Pick<EventSnapshot, 'config'>
  flow: Flow
  answers: Answers
  /** The result of the flow's directory lookup, which ran before the transaction. */
  looked?: LookupResult | null | undefined
}

export async function readPersonPrefillData(
  ctx: RegistrationContext,
  { snapshot, flow, answers, looked }: PersonToKnow,
): Promise<PersonPrefillData> {
  const completed = mergeDirectoryDataIntoAnswers(snapshot, flow, answers, looked ?? undefined)
  const { invite, ...read } = await findInvitationForRegistration(ctx, flow, completed)
  return { ...read, invite, manualTags: invite?.tags ?? [], directoryTags: looked?.tags ?? [] }
}
