import { recordChange } from '../../kernel/audit.ts'
import { toParticipantAnswerColumns } from '../registration/answers.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'
import { updateParticipant } from '../registration/participant-rows.ts'
import { recalculateTags } from '../registration/tags.ts'
import { type InviteListEntry, linkInviteToParticipant } from '../registration/invitations/invites.ts'
import { type RegistrationProgress, recalculateVisiblePages, saveRegistrationProgress } from './progress.ts'
import type { SubmittedPage } from './sent-page.ts'

interface PageChange {
  before: RegistrationProgress
  after: RegistrationProgress
  sent: SubmittedPage
  /** The invitation whose code was entered on this page. */
  invite: InviteListEntry | null
  directoryTags: readonly string[] | undefined
}

/** Writes the submitted page to the participant row and the stored progress, and returns the progress with the written row. */
export async function storeSubmittedFormPage(
  ctx: RegistrationContext,
  { before, after, sent, invite, directoryTags }: PageChange,
): Promise<RegistrationProgress> {
  const { row, snapshot } = before
  const written = await updateParticipant(ctx, row, {
    ...toParticipantAnswerColumns(withClearedAnswers(before.answers, after.answers)),
    version_id: snapshot.versionId,
    ...(directoryTags ? { directory_tags: [...directoryTags] } : {}),
    ...(invite ? { manual_tags: after.row.manual_tags } : {}),
    ...toSharingColumns(before, sent),
  })
  const { pages_done, policies, method, pay_now, booth_request, waits, other_hotels, group_join_code } = after.stored
  await saveRegistrationProgress(ctx, row, {
    pages_done,
    policies: JSON.stringify(policies),
    method,
    pay_now,
    booth_request: booth_request && JSON.stringify(booth_request),
    waits,
    other_hotels,
    group_join_code,
  })
  recordChange(ctx, { kind: 'participant', id: row.id, before: { ...before.answers }, after: { ...after.answers } })
  if (invite) await linkInviteToParticipant(ctx, invite, row.id)
  if (directoryTags || invite) await recalculateTags(ctx, snapshot.config, [row.id])
  return recalculateVisiblePages({ ...after, row: written }, after.answers)
}

/** Removed answers are written as null, because an update keeps the values of columns that it does not mention. */
const withClearedAnswers = (before: RegistrationProgress['answers'], after: RegistrationProgress['answers']) => ({
  ...Object.fromEntries(Object.keys(before).map((binding) => [binding, null])),
  ...after,
})

/** Returns the columns of the participant's sharing choices. `default` means the organizer's setting, so it is not stored. */
function toSharingColumns({ row }: RegistrationProgress, { sharing }: SubmittedPage) {
  if (!sharing) return {}
  const chosen = Object.entries({ ...row.sharing, ...sharing.fields }).filter(([, choice]) => choice !== 'default')
  return {
    sharing: JSON.stringify(Object.fromEntries(chosen)),
    ...(sharing.visible === null ? {} : { visible_to_participants: sharing.visible }),
  }
}
