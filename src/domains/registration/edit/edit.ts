import type { EventContext } from '../../../kernel/context.ts'
import { AppError, invalidArguments, preconditionFailed } from '../../../kernel/errors.ts'
import { checkRevision } from '../../../kernel/revisions.ts'
import type { RemovalCreditRule } from '../../orders/credits.ts'
import { toPositiveMinorUnits } from '../../orders/named-invoices.ts'
import { toProductAnswerKey } from '../../configuration/flow/collected-answers.ts'
import { findOrder, lockOrder } from '../../orders/orders.ts'
import { addGuest, getGuestHost } from '../add-guest.ts'
import { type Answers, isBookingAnswerKey } from '../answers.ts'
import { cancelRegistration } from './cancel.ts'
import { changeRoomProductsAndSessions } from './change-purchases.ts'
import { updateOrderBillingAndEditFee } from './edit-order.ts'
import { assertNoRequiredAnswerCleared, type EditedRegistration, readEditedRegistration } from './edited-registration.ts'
import { loadEventSnapshot } from '../event-snapshot.ts'
import { GUEST_TYPE_ANSWER_KEY } from '../guests.ts'
import { redeemInvite } from '../invitations/use-invite.ts'
import type { ParticipantEditStepInput, ParticipantEdit, ParticipantEditResult } from './participant-edit.ts'
import { getParticipant, incrementParticipantRevision } from '../participant-rows.ts'
import type { ParticipantRow } from '../participant-shape.ts'
import { getOrderOwner } from '../sale/payer.ts'
import { type RegistrationSubmission, submitRegistration, type SubmissionResult } from '../submit.ts'
import { recalculateTags } from '../tags.ts'
import { updateRegistration } from './update-registration.ts'

/** Edits one registration: answers, tags, flow, products and status. Sales and credits happen in the same transaction. */
export async function editParticipant(ctx: EventContext, row: ParticipantRow, edit: ParticipantEdit): Promise<ParticipantEditResult> {
  assertMoneyPermission(ctx, edit)
  checkRevision({ kind: 'The registration of', name: row.id, revision: row.revision }, edit.ifRevision)
  const snapshot = { ...(await loadEventSnapshot(ctx)), isTest: row.is_test_data }
  const outcome: ParticipantEditStepInput['outcome'] = { changed: [], creditNotes: [], invoices: [], notRestored: [] }
  const step: ParticipantEditStepInput = { snapshot, row, edit, rule: toCreditRule(ctx, edit), outcome }
  const before = await findOrder(ctx, await getOrderOwner(ctx, row))
  await (edit.status === 'cancelled' ? cancelEdited(ctx, step) : applyEdit(ctx, step))
  await updateOrderBillingAndEditFee(ctx, isRepeatedCancellation(step) ? { ...step, edit: { ...edit, fee: undefined } } : step, before)
  const participant = await raiseRevisionIfChanged(ctx, row, outcome)
  const after = before ? await lockOrder(ctx, before.id) : await findOrder(ctx, await getOrderOwner(ctx, participant))
  return { participant, ...outcome, before, after }
}

/** Returns the current participant row. Raises its revision if the edit changed only purchases, which are stored in other tables. */
async function raiseRevisionIfChanged(
  ctx: EventContext,
  { id, revision }: ParticipantRow,
  outcome: ParticipantEditStepInput['outcome'],
): Promise<ParticipantRow> {
  const participant = await getParticipant(ctx, id)
  const { changed, invoices, creditNotes } = outcome
  if (participant.revision !== revision || changed.length + invoices.length + creditNotes.length === 0) return participant
  return incrementParticipantRevision(ctx, participant)
}

const MONEY_FIELDS = ['fee', 'reprice'] as const

function assertMoneyPermission(ctx: EventContext, edit: ParticipantEdit): void {
  const needs = [...(edit.credit === 'policy' ? [] : ['credit']), ...MONEY_FIELDS.filter((name) => edit[name])]
  if (needs.length === 0 || ctx.permissions.has('money.write')) return
  throw new AppError('forbidden', `${needs.join(' and ')} need the permission money.write`)
}

function toCreditRule(ctx: EventContext, { credit, creditAmount }: ParticipantEdit): RemovalCreditRule {
  if (credit !== 'amount') {
    if (creditAmount) throw invalidArguments([{ path: 'creditAmount', message: 'is only allowed with credit: amount' }])
    return { by: credit }
  }
  if (!creditAmount) throw invalidArguments([{ path: 'creditAmount', message: 'is required with credit: amount' }])
  return { by: 'amount', amount: toPositiveMinorUnits(ctx, creditAmount, 'creditAmount') }
}

/** Whether the edit cancels a registration that is already cancelled. A fee is charged only by the call that cancels the registration. */
const isRepeatedCancellation = ({ row, edit }: ParticipantEditStepInput): boolean =>
  edit.status === 'cancelled' && row.status === 'cancelled'

async function cancelEdited(ctx: EventContext, step: ParticipantEditStepInput): Promise<void> {
  const { snapshot, row, edit, rule, outcome } = step
  if (isRepeatedCancellation(step)) return
  const { creditNotes } = await cancelRegistration(ctx, snapshot, row, { rule, reason: edit.reason ?? null, keepGuests: edit.keepGuests })
  outcome.creditNotes.push(...creditNotes)
  outcome.changed.push('status')
}

async function applyEdit(ctx: EventContext, step: ParticipantEditStepInput): Promise<void> {
  const { snapshot, row, edit } = step
  // A registration on the waiting list is completed only by a promotion, or by the participant on the page that the offer email links to.
  if (row.status === 'waitlisted' && edit.status === 'complete')
    throw preconditionFailed(
      'This registration is on a waiting list. Use promote_waitlist_entries to give it a spot, or with action accept to accept its offer.',
    )
  const edited = await readEditedRegistration(ctx, step)
  if (edit.status === 'complete' && row.status !== 'complete') await completeRegistration(ctx, step, edited)
  else {
    assertNoRequiredAnswerCleared(step, edited)
    const updated = await updateRegistration(ctx, step, edited)
    if (row.status === 'complete') await changeRoomProductsAndSessions(ctx, step, edited, updated)
    await recalculateTags(ctx, snapshot.config, [row.id])
  }
  if (edited.invite) await redeemInvite(ctx, edited.invite, await getParticipant(ctx, row.id))
}

/** Completes an incomplete registration or reinstates a cancelled one. The registration of a guest stays with its host. */
async function completeRegistration(
  ctx: EventContext,
  { snapshot, row, edit, outcome }: ParticipantEditStepInput,
  edited: EditedRegistration,
): Promise<void> {
  const { flow, answers, manualTags, group, given } = edited
  const host = row.host_id === null ? null : await getGuestHost(ctx, snapshot, row.host_id)
  const submission: RegistrationSubmission = {
    snapshot,
    flow,
    answers,
    manualTags,
    directoryTags: row.directory_tags,
    source: row.source,
    participant: row,
    group,
    host,
    guestType: row.guest_type,
    overrideClosed: true,
    overrideCapacity: edit.overrideCapacity,
    whenSessionFull: edit.overrideCapacity ? 'exceed' : row.status === 'cancelled' ? 'wait' : 'refuse',
    dropFull: row.status === 'cancelled',
  }
  const isGuestOfFlow = host !== null && flow.kind !== 'guest'
  const submitted = await (isGuestOfFlow ? completeGuestOfFlow(ctx, submission, given, host) : submitRegistration(ctx, submission))
  if (submitted.invoice) outcome.invoices.push(submitted.invoice)
  outcome.notRestored.push(...submitted.dropped)
  outcome.changed.push('status')
}

/**
 * Completes a guest, who is sold the product of the guest type. Other products and the sessions that the guest had before a cancellation are
 * not restored, because guests choose nothing when they are registered.
 */
async function completeGuestOfFlow(
  ctx: EventContext,
  submission: RegistrationSubmission,
  given: Answers,
  host: ParticipantRow,
): Promise<SubmissionResult> {
  const { flow } = submission
  const isStoredChoice = (binding: string) => isBookingAnswerKey(binding) && binding !== GUEST_TYPE_ANSWER_KEY && !(binding in given)
  const answers = Object.fromEntries(Object.entries(submission.answers).filter(([binding]) => !isStoredChoice(binding)))
  const guestProducts = new Set(flow.guests?.types.map(({ productCode }) => toProductAnswerKey(productCode)))
  const dropped = Object.keys(submission.answers)
    .filter((binding) => isStoredChoice(binding) && !guestProducts.has(binding))
    .map((binding) => binding.replace(/^@(product\.)?/, ''))
  return { ...(await addGuest(ctx, { ...submission, answers }, host)), dropped }
}
