import type { EventContext } from '../../../kernel/context.ts'
import { conflict, invalidArguments } from '../../../kernel/errors.ts'
import { evaluateFlow } from '../../configuration/flow/walk.ts'
import type { Flow } from '../../configuration/schema/event-config.ts'
import type { OrderLineWithCredits } from '../../orders/lines.ts'
import { toSessionChoiceAnswers } from '../../sessions/context.ts'
import { listActiveEnrolments } from '../../sessions/enrolments.ts'
import { toParticipantIdentity } from '../add.ts'
import { type Answers, readStoredAnswers, normalizeAnswers } from '../answers.ts'
import { applyTagChanges } from './edit-tags.ts'
import { getFlow } from '../event-snapshot.ts'
import type { InviteListEntry } from '../invitations/invites.ts'
import { ACCEPTED_INVITE_CODE_ANSWER, INVITE_CODE_ANSWER_KEY, findInvitationForRegistration } from '../invitations/use-invite.ts'
import { listSoldOrderLines, sumQuantitiesByProduct } from '../sale/holdings.ts'
import { listMissingFields } from '../missing-fields.ts'
import type { ParticipantEditStepInput } from './participant-edit.ts'
import { collectAssignedTags, lockGroupOfParticipant } from '../participant-group.ts'
import { findConflictingRegistration } from '../participant-rows.ts'
import type { ParticipantRow } from '../participant-shape.ts'

/** A registration after the edit, before it is saved. */
export interface EditedRegistration {
  flow: Flow
  group: Awaited<ReturnType<typeof lockGroupOfParticipant>>
  /** The order lines before the edit. */
  lines: readonly OrderLineWithCredits[]
  manualTags: string[]
  /** The stored answers before the edit. */
  stored: Answers
  /** The valid answers submitted with the edit. Null clears an answer. */
  given: Answers
  /** All answers of the registration after the edit, including products and sessions. */
  answers: Answers
  /** The invitation that the participant accepts by this edit, for example by entering its code; null if none. */
  invite: InviteListEntry | null
}

/**
 * Validates the edit and merges it with the stored registration. The participant's group is locked first, because group locks must be taken
 * before locks on capacity and orders.
 */
export async function readEditedRegistration(
  ctx: EventContext,
  { snapshot, row, edit }: ParticipantEditStepInput,
): Promise<EditedRegistration> {
  const flow = getFlow(snapshot, edit.flowSlug ?? row.flow_slug ?? '')
  const group = await lockGroupOfParticipant(ctx, row)
  const lines = await listSoldOrderLines(ctx, [row.id])
  const manualTags = applyTagChanges(snapshot, row, lines, { add: edit.addTags, remove: edit.removeTags })
  const stored = readStoredAnswers(row)
  const read = normalizeAnswers({ config: snapshot.config, flow, previous: stored }, edit.data ?? {})
  if (read.errors.length > 0) throw invalidArguments(read.errors)
  const invited = await readGivenInvitation(ctx, flow, { row, stored, given: read.answers, isCompleted: edit.status === 'complete' })
  const given = edit.discountCode === undefined ? invited.given : { ...invited.given, '@discount.code': edit.discountCode }
  const held = {
    ...Object.fromEntries([...sumQuantitiesByProduct(lines)].map(([code, quantity]) => [`@product.${code}`, quantity])),
    ...toSessionChoiceAnswers((await listActiveEnrolments(ctx, row.id)).map(({ sessionId }) => sessionId)),
  }
  const answers = dropCleared({ ...stored, ...held, ...given })
  await assertNoDuplicate(ctx, row, answers)
  const { invite } = invited
  return { flow, group, lines, manualTags: [...new Set([...manualTags, ...(invite?.tags ?? [])])], stored, given, answers, invite }
}

/**
 * Checks an invitation code that was entered in the edit. A person on the invite list needs no code. An invitation that was accepted before
 * stays valid.
 */
async function readGivenInvitation(
  ctx: EventContext,
  flow: Flow,
  { row, stored, given, isCompleted }: { row: ParticipantRow; stored: Answers; given: Answers; isCompleted: boolean },
): Promise<{ given: Answers; invite: InviteListEntry | null }> {
  const isAccepted = stored[INVITE_CODE_ANSWER_KEY] === ACCEPTED_INVITE_CODE_ANSWER
  const code = given[INVITE_CODE_ANSWER_KEY]
  if (isAccepted && typeof code === 'string')
    return { given: { ...given, [INVITE_CODE_ANSWER_KEY]: ACCEPTED_INVITE_CODE_ANSWER }, invite: null }
  if (isAccepted || (code == null && !isCompleted)) return { given, invite: null }
  const email = given['@participant.email'] ?? row.email
  const read = await findInvitationForRegistration(ctx, flow, { ...given, '@participant.email': email }, row.id)
  if (read.errors.length > 0) throw invalidArguments(read.errors)
  return { given: read.invite ? { ...given, [INVITE_CODE_ANSWER_KEY]: ACCEPTED_INVITE_CODE_ANSWER } : given, invite: read.invite }
}

const dropCleared = (answers: Answers) => Object.fromEntries(Object.entries(answers).filter(([, value]) => value !== null))

async function assertNoDuplicate(ctx: EventContext, row: ParticipantRow, answers: Answers): Promise<void> {
  if (row.is_test_data) return
  const duplicate = await findConflictingRegistration(ctx, row, toParticipantIdentity(answers, null))
  if (duplicate) throw conflict(`Another registration has this name and email: ${duplicate.id}`)
}

/** Rejects an edit that clears a required answer. Required answers that were already missing may stay missing. */
export function assertNoRequiredAnswerCleared(
  { snapshot, row }: ParticipantEditStepInput,
  { flow, group, answers, given }: EditedRegistration,
): void {
  if (row.status === 'incomplete') return
  const tags = collectAssignedTags(row, group)
  const walk = evaluateFlow(snapshot.config, flow, { answers, tags, timezone: snapshot.timezone, now: snapshot.at })
  const touchesProducts = Object.keys(given).some((binding) => binding.startsWith('@product.'))
  const missing = listMissingFields(snapshot.config, walk, { skipRequired: false }).filter(
    ({ path }) => path in given || (touchesProducts && path.startsWith('@product.')),
  )
  if (missing.length > 0) throw invalidArguments(missing)
}
