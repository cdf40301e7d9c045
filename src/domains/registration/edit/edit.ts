import type { EventContext } from '../../../kernel/context.ts'
import { AppError, invalidArguments, preconditionFailed } from '../../../kernel/errors.ts'
import { checkRevision } from '../../../kernel/revisions.ts'
import type { CreditRule } from '../../orders/credits.ts'
import { toPositiveMinorUnits } from '../../orders/named-invoices.ts'
import { findOrder, lockOrder } from '../../orders/orders.ts'
import { cancelRegistration } from './cancel.ts'
import { changePurchases } from './change-purchases.ts'
import { editOrder } from './edit-order.ts'
import { assertNothingNewlyMissing, type EditedRegistration, readEditedRegistration } from './edited-registration.ts'
import { loadEventSnapshot } from '../event-snapshot.ts'
import { useInvite } from '../invitations/use-invite.ts'
import type { ParticipantEditStep, ParticipantEdit, ParticipantEditResult } from './participant-edit.ts'
import { getParticipant, raiseParticipantRevision } from '../participant-rows.ts'
import type { ParticipantRow } from '../participant-shape.ts'
import { getPayer } from '../sale/payer.ts'
import { submitRegistration } from '../submit.ts'
import { recalculateTags } from '../tags.ts'
import { updateRegistration } from './update-registration.ts'

/** Edits one registration: answers, tags, flow, products and status. Sales and credits happen in the same transaction. */
export async function editParticipant(ctx: EventContext, row: ParticipantRow, edit: ParticipantEdit): Promise<ParticipantEditResult> {
  assertMoneyPermission(ctx, edit)
  checkRevision({ kind: 'The registration of', name: row.id, revision: row.revision }, edit.ifRevision)
  const snapshot = { ...(await loadEventSnapshot(ctx)), isTest: row.is_test_data }
  const outcome: ParticipantEditStep['outcome'] = { changed: [], creditNotes: [], invoices: [], notRestored: [] }
  const step: ParticipantEditStep = { snapshot, row, edit, rule: toCreditRule(ctx, edit), outcome }
  const before = await findOrder(ctx, await getPayer(ctx, row))
  await (edit.status === 'cancelled' ? cancelEdited(ctx, step) : applyEdit(ctx, step))
  await editOrder(ctx, isRepeatedCancellation(step) ? { ...step, edit: { ...edit, fee: undefined } } : step, before)
  const participant = await raiseRevisionIfChanged(ctx, row, outcome)
  const after = before ? await lockOrder(ctx, before.id) : await findOrder(ctx, await getPayer(ctx, participant))
  return { participant, ...outcome, before, after }
}

/** Returns the current participant row. Raises its revision if the edit changed only purchases, which are stored in other tables. */
async function raiseRevisionIfChanged(
  ctx: EventContext,
  { id, revision }: ParticipantRow,
  outcome: ParticipantEditStep['outcome'],
): Promise<ParticipantRow> {
  const participant = await getParticipant(ctx, id)
  const { changed, invoices, creditNotes } = outcome
  if (participant.revision !== revision || changed.length + invoices.length + creditNotes.length === 0) return participant
  return raiseParticipantRevision(ctx, participant)
}

const MONEY_FIELDS = ['fee', 'reprice'] as const

function assertMoneyPermission(ctx: EventContext, edit: ParticipantEdit): void {
  const needs = [...(edit.credit === 'policy' ? [] : ['credit']), ...MONEY_FIELDS.filter((name) => edit[name])]
  if (needs.length === 0 || ctx.permissions.has('money.write')) return
  throw new AppError('forbidden', `${needs.join(' and ')} need the permission money.write`)
}

function toCreditRule(ctx: EventContext, { credit, creditAmount }: ParticipantEdit): CreditRule {
  if (credit !== 'amount') {
    if (creditAmount) throw invalidArguments([{ path: 'creditAmount', message: 'is only allowed with credit: amount' }])
    return { by: credit }
  }
  if (!creditAmount) throw invalidArguments([{ path: 'creditAmount', message: 'is required with credit: amount' }])
  return { by: 'amount', amount: toPositiveMinorUnits(ctx, creditAmount, 'creditAmount') }
}

/** Whether the edit cancels a registration that is already cancelled. A fee is charged only by the call that cancels the registration. */
const isRepeatedCancellation = ({ row, edit }: ParticipantEditStep): boolean => edit.status === 'cancelled' && row.status === 'cancelled'

async function cancelEdited(ctx: EventContext, step: ParticipantEditStep): Promise<void> {
  const { snapshot, row, edit, rule, outcome } = step
  if (isRepeatedCancellation(step)) return
  const { creditNotes } = await cancelRegistration(ctx, snapshot, row, { rule, reason: edit.reason ?? null, keepGuests: edit.keepGuests })
  outcome.creditNotes.push(...creditNotes)
  outcome.changed.push('status')
}

async function applyEdit(ctx: EventContext, step: ParticipantEditStep): Promise<void> {
  const { snapshot, row, edit } = step
  // A registration on the waiting list is completed only by a promotion, or by the participant on the page that the offer email links to.
  if (row.status === 'waitlisted' && edit.status === 'complete')
    throw preconditionFailed(
      'This registration is on a waiting list. Use promote_waitlist_entries to give it a spot, or with action accept to accept its offer.',
    )
  const edited = await readEditedRegistration(ctx, step)
  if (edit.status === 'complete' && row.status !== 'complete') await completeRegistration(ctx, step, edited)
  else {
    assertNothingNewlyMissing(step, edited)
    const updated = await updateRegistration(ctx, step, edited)
    if (row.status === 'complete') await changePurchases(ctx, step, edited, updated)
    await recalculateTags(ctx, snapshot.config, [row.id])
  }
  if (edited.invite) await useInvite(ctx, edited.invite, await getParticipant(ctx, row.id))
}

/** Completes an incomplete registration or reinstates a cancelled one. */
async function completeRegistration(
  ctx: EventContext,
  { snapshot, row, edit, outcome }: ParticipantEditStep,
  edited: EditedRegistration,
): Promise<void> {
  const { flow, answers, manualTags, group } = edited
  const submitted = await submitRegistration(ctx, {
    snapshot,
    flow,
    answers,
    manualTags,
    directoryTags: row.directory_tags,
    source: row.source,
    participant: row,
    group,
    overrideClosed: true,
    overrideCapacity: edit.overrideCapacity,
    whenSessionFull: edit.overrideCapacity ? 'exceed' : row.status === 'cancelled' ? 'wait' : 'refuse',
    dropFull: row.status === 'cancelled',
  })
  if (submitted.invoice) outcome.invoices.push(submitted.invoice)
  outcome.notRestored.push(...submitted.dropped)
  outcome.changed.push('status')
}
