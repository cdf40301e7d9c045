import { recordChange } from '../../../kernel/audit.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { AppError, conflict, type FieldError, invalidArguments, preconditionFailed } from '../../../kernel/errors.ts'
import { type Money, toMoney } from '../../../kernel/money.ts'
import { evaluateFlow } from '../../configuration/flow/walk.ts'
import type { Flow } from '../../configuration/schema/event-config.ts'
import { cancelAllRooms, releaseUnconfirmedRooms, transferRoomsToSubstitute } from '../../housing/release.ts'
import { cancelParticipantAppointments } from '../../exhibitors/cancel-appointment.ts'
import { releaseHolds } from '../../inventory/units.ts'
import { addAndInvoiceOrderLines } from '../../orders/invoices.ts'
import { findOrder, lockOrder, type OrderRow, transferOrder } from '../../orders/orders.ts'
import { endCheckoutsOfParticipant } from '../../payments/checkout.ts'
import { cancelAllSessionEnrolments, transferEnrolments } from '../../sessions/enrol.ts'
import { toParticipantIdentity } from '../add.ts'
import { type Answers, isBookingAnswerKey, readStoredAnswers, toParticipantAnswerColumns, normalizeAnswers } from '../answers.ts'
import { cancelRegistration } from './cancel.ts'
import { findPurchaseDiscountCode } from './change-discount-code.ts'
import { buildFeeLine } from './fees.ts'
import { listSoldOrderLines, sumQuantitiesByProduct } from '../sale/holdings.ts'
import { getQuestionLabel, listMissingFields } from '../missing-fields.ts'
import { transferStaffPass } from '../company-staff.ts'
import { lockGroupOfParticipant } from '../participant-group.ts'
import { formatParticipantName, type ParticipantRow, toParticipant } from '../participant-shape.ts'
import { getOrCreatePayerOrder } from '../sale/payer.ts'
import {
  findDuplicateRegistration,
  getParticipant,
  listGuests,
  insertParticipant,
  generateConfirmationAndBadgeIds,
  updateParticipant,
} from '../participant-rows.ts'
import { repriceOrderLines } from './reprice.ts'
import { getFlow, loadEventSnapshot, type EventSnapshot } from '../event-snapshot.ts'
import { recalculateTags } from '../tags.ts'
import { leaveWaitlists } from '../waitlist/waitlist.ts'

export interface SubstitutionRequest {
  replacement?: Answers | undefined
  replacementParticipant?: ParticipantRow | undefined
  transferGuests: boolean
  transferHousing: boolean
  transferSessions: boolean
  fee?: Money | undefined
  feeTaxCode?: string | undefined
  reprice: boolean
  reason?: string | undefined
}

/**
 * Transfers a complete registration to another person, keeping its order, invoices and payments. Its capacity is never freed in between, so
 * no other buyer can take it.
 */
export async function substituteParticipant(ctx: EventContext, leaving: ParticipantRow, request: SubstitutionRequest) {
  if ((request.fee || request.reprice) && !ctx.permissions.has('money.write')) {
    throw new AppError('forbidden', `${request.fee ? 'fee' : 'reprice'} needs the permission money.write`)
  }
  if (leaving.status !== 'complete')
    throw preconditionFailed(`Only a complete registration can be transferred; this one is ${leaving.status}`)
  const snapshot = { ...(await loadEventSnapshot(ctx)), isTest: leaving.is_test_data }
  const flow = getFlow(snapshot, leaving.flow_slug ?? '')
  const answers = await readReplacement(ctx, snapshot, flow, leaving, request)
  const replacementId = request.replacementParticipant?.id
  // Checkouts are ended before capacity is locked, in the same lock order as the settlement of their payments.
  if (replacementId) await endCheckoutsOfParticipant(ctx, replacementId)
  // The group lock, which guards the member count, must be taken before the locks on orders.
  await lockGroupOfParticipant(ctx, leaving)
  const guests = await listGuests(ctx, leaving.id)
  // Guests who are not transferred are cancelled first, because capacity must be freed before any order is locked.
  if (!request.transferGuests)
    for (const guest of guests) await cancelRegistration(ctx, snapshot, guest, { rule: { by: 'policy' }, reason: 'host substituted' })
  await leaveWaitlists(ctx, leaving.id)
  if (replacementId) await releaseHolds(ctx, { participantId: replacementId })
  if (!request.transferSessions) await cancelAllSessionEnrolments(ctx, [leaving])
  if (replacementId) await releaseUnconfirmedRooms(ctx, snapshot, replacementId)
  if (request.transferHousing) await releaseUnconfirmedRooms(ctx, snapshot, leaving.id)
  else await cancelAllRooms(ctx, snapshot, leaving.id, 'substituted')
  const order = await findOrder(ctx, { participantId: leaving.id })
  if (order) await lockOrder(ctx, order.id)

  const old = await cancelReplaced(ctx, snapshot, leaving, request.reason ?? null)
  const appointments = await cancelParticipantAppointments(ctx, leaving.id, request.reason ?? null)
  const coming = await saveSubstitute(ctx, snapshot, flow, leaving, request.replacementParticipant ?? null, answers)
  await updateParticipant(ctx, old, { substituted_by_id: coming.id })
  const rooms = request.transferHousing
    ? await transferRoomsToSubstitute(ctx, leaving.id, { id: coming.id, name: formatParticipantName(coming) })
    : 0
  const sessions = request.transferSessions ? await transferEnrolments(ctx, leaving.id, coming.id) : 0
  await transferStaffPass(ctx, leaving.id, coming)
  const lines = await transferOrder(ctx, leaving.id, coming.id)
  if (request.transferGuests) for (const guest of guests) await updateParticipant(ctx, guest, { host_id: coming.id })
  await recalculateTags(ctx, snapshot.config, [leaving.id, coming.id, ...guests.map(({ id }) => id)])
  const money = await settleFeeAndPrices(ctx, snapshot, coming, request)
  return {
    from: { id: leaving.id, status: 'cancelled' as const },
    to: toParticipant(await getParticipant(ctx, coming.id), ctx.permissions),
    ...orderOf(ctx, await findOrder(ctx, { participantId: coming.id })),
    moved: { lines, housing: rooms, sessions, guests: request.transferGuests ? guests.length : 0 },
    dropped: { appointments },
    missing: await findMissing(ctx, snapshot, flow, coming),
    ...(money ? { money } : {}),
  }
}

async function readReplacement(
  ctx: EventContext,
  snapshot: EventSnapshot,
  flow: Flow,
  leaving: ParticipantRow,
  request: SubstitutionRequest,
): Promise<Answers> {
  const { replacement, replacementParticipant: row } = request
  if ((replacement === undefined) === (row === undefined)) {
    throw invalidArguments([{ path: 'replacement', message: 'pass either replacement or replacementParticipantId' }])
  }
  if (row?.host_id) throw preconditionFailed('A guest cannot take over a registration')
  if (row?.id === leaving.id) throw invalidArguments([{ path: 'replacementParticipantId', message: 'is the participant to be replaced' }])
  if (row && row.status !== 'incomplete') throw conflict(`${row.id} is already registered (${row.status})`)
  const { answers, errors } = normalizeAnswers({ config: snapshot.config, flow }, row ? readStoredAnswers(row) : replacement!)
  const missing: FieldError[] = ['@participant.firstName', '@participant.lastName', '@participant.email']
    .filter((binding) => answers[binding] == null)
    .map((path) => ({ path, message: `${getQuestionLabel(snapshot.config, path)} is required` }))
  if (errors.length + missing.length > 0) throw invalidArguments([...errors, ...missing])
  const twin = leaving.is_test_data ? null : await findDuplicateRegistration(ctx, toParticipantIdentity(answers, null))
  if (twin?.id === leaving.id) throw invalidArguments([{ path: 'replacement', message: 'is the same person' }])
  if (twin && twin.id !== row?.id) throw conflict(`This person is already registered: ${twin.id}`)
  return answers
}

async function cancelReplaced(
  ctx: EventContext,
  { at }: EventSnapshot,
  leaving: ParticipantRow,
  reason: string | null,
): Promise<ParticipantRow> {
  const old = await updateParticipant(ctx, leaving, {
    status: 'cancelled',
    cancelled_at: at,
    cancel_reason: reason ?? 'substituted',
    group_id: null,
    group_leader: false,
    discount_code: null,
  })
  recordChange(ctx, {
    kind: 'participant',
    id: old.id,
    before: { status: leaving.status },
    after: { status: old.status, reason: old.cancel_reason },
  })
  return old
}

/**
 * Saves the new participant with the group, role and tags of the former participant, but without their personal answers. The substitute
 * takes over the bookings of the former participant, so products, guests, sessions and the discount code of their own answers are dropped.
 */
async function saveSubstitute(
  ctx: EventContext,
  snapshot: EventSnapshot,
  flow: Flow,
  leaving: ParticipantRow,
  row: ParticipantRow | null,
  answers: Answers,
) {
  const stored = Object.fromEntries(Object.entries(answers).filter(([binding]) => !isBookingAnswerKey(binding)))
  const columns = {
    ...toParticipantAnswerColumns(stored),
    ...generateConfirmationAndBadgeIds(),
    status: 'complete' as const,
    completed_at: snapshot.at,
    version_id: snapshot.versionId,
    flow_slug: flow.slug,
    manual_tags: [...new Set([...leaving.manual_tags, ...(row?.manual_tags ?? [])])].sort(),
    group_id: leaving.group_id,
    group_leader: leaving.group_leader,
    host_id: leaving.host_id,
    guest_type: leaving.guest_type,
    counts_toward_capacity: leaving.counts_toward_capacity,
    discount_code: leaving.discount_code,
    substitutes_id: leaving.id,
  }
  const coming = row
    ? await updateParticipant(ctx, row, columns)
    : await insertParticipant(ctx, { ...columns, source: 'organizer', is_test_data: leaving.is_test_data })
  recordChange(ctx, {
    kind: 'participant',
    id: coming.id,
    after: { ...stored, status: coming.status, substitutes: leaving.id },
  })
  return coming
}

async function settleFeeAndPrices(
  ctx: EventContext,
  snapshot: EventSnapshot,
  coming: ParticipantRow,
  { fee, feeTaxCode, reprice: again, reason }: SubstitutionRequest,
) {
  if (!fee && !again) return null
  const order = await getOrCreatePayerOrder(ctx, coming)
  const changed = again
    ? await repriceOrderLines(ctx, {
        snapshot,
        row: coming,
        lines: await listSoldOrderLines(ctx, [coming.id]),
        order,
        discountCode: await findPurchaseDiscountCode(ctx, coming),
      })
    : null
  const line = fee ? buildFeeLine(ctx, snapshot, { fee, taxCode: feeTaxCode ?? null, description: reason ?? 'Substitution' }) : null
  const claimed = line ? await addAndInvoiceOrderLines(ctx, order, [{ ...line, participantId: coming.id }], snapshot) : null
  const after = await lockOrder(ctx, order.id)
  const toDocument = (document: { number: string; total: number } | null | undefined) =>
    document ? { number: document.number, total: toMoney(document.total, ctx.event.currency) } : undefined
  return {
    creditNote: toDocument(changed?.creditNote),
    invoice: toDocument(claimed ?? changed?.invoice),
    balanceAfter: toMoney(after.balance, ctx.event.currency),
  }
}

const orderOf = (ctx: EventContext, order: OrderRow | null) =>
  order
    ? {
        order: {
          number: order.number,
          total: toMoney(order.total, ctx.event.currency),
          balance: toMoney(order.balance, ctx.event.currency),
        },
      }
    : {}

/** Lists required answers that the new participant still has to give. The registration is complete nevertheless. */
async function findMissing(ctx: EventContext, snapshot: EventSnapshot, flow: Flow, coming: ParticipantRow) {
  const held = Object.fromEntries(
    [...sumQuantitiesByProduct(await listSoldOrderLines(ctx, [coming.id]))].map(([code, quantity]) => [`@product.${code}`, quantity]),
  )
  const answers = { ...readStoredAnswers(coming), ...held }
  const tags = [...coming.manual_tags, ...coming.directory_tags]
  const walk = evaluateFlow(snapshot.config, flow, { answers, tags, timezone: snapshot.timezone, now: snapshot.at })
  return listMissingFields(snapshot.config, walk, { skipRequired: false }).map(({ path, message }) => ({ binding: path, message }))
}
