import { recordChange } from '../../kernel/audit.ts'
import { newId } from '../../kernel/ids.ts'
import type { Flow } from '../configuration/schema/event-config.ts'
import type { OrderOwner } from '../orders/orders.ts'
import type { CapacityToSell } from '../orders/record-sale.ts'
import { listChosenSessionIds } from '../sessions/context.ts'
import { lockSessions } from '../sessions/enrol.ts'
import { linkRegisteredSpeaker } from '../sessions/speakers.ts'
import { isBookingAnswerKey, toParticipantAnswerColumns } from './answers.ts'
import type { RegistrationContext } from './event-snapshot.ts'
import type { ChosenProduct } from './flows/selection.ts'
import { addGuests, type Guest } from './guests.ts'
import { generateConfirmationAndBadgeIds, insertParticipant, updateParticipant } from './participant-rows.ts'
import type { ParticipantRow } from './participant-shape.ts'
import { getPaymentTermsDays, type priceOrderLines, buildDefaultBillingAddress } from './sale/billing.ts'
import { doGuestsCount } from './sale/capacity-needed.ts'
import { getPayer } from './sale/payer.ts'
import { type PendingSale, recordSales } from './sale/record-sales.ts'
import { reserveRoom, type RoomReservationResult } from './sale/rooms.ts'
import { enrolChosenSessions } from './sessions.ts'
import type { RegistrationSubmission, SubmissionResult } from './submit.ts'
import { addToInvitingCompanyStaff } from './company-staff.ts'
import { buildNewParticipantTagsSql } from './tags.ts'
import { joinWaitlist } from './waitlist/waitlist.ts'

export interface RegistrationSaleInput {
  chosen: readonly ChosenProduct[]
  /** The inventory keys (such as `product:dinner`) of products for which the registration joins the waiting list. */
  waiting?: readonly string[]
  dropped?: readonly string[]
  /** The capacity to take in the same statement as the sale; left out if the capacity was taken before. */
  take?: CapacityToSell
}

interface CompletionInput extends RegistrationSaleInput {
  answers: Record<string, unknown>
  tags: readonly string[]
  bill: ReturnType<typeof priceOrderLines>
  guests: readonly Guest[]
}

/** Saves a registration as complete and records its sale on an order. Takes the capacity too, unless the caller took it before. */
export async function completeRegistration(
  ctx: RegistrationContext,
  submission: RegistrationSubmission,
  completion: CompletionInput,
): Promise<SubmissionResult> {
  const { answers, bill, take, waiting = [], dropped = [] } = completion
  const { snapshot, flow, group = null, host = null } = submission
  await lockSessions(ctx, listChosenSessionIds(answers))
  const id = submission.participant?.id ?? newId()
  const saving = saveParticipant(ctx, submission, completion, id)
  // The participant row and the sale of a registration without sessions, room and guests are sent to the database in one round trip.
  const extras = hasExtras(completion) ? await addExtras(ctx, await saving, submission, completion) : NO_EXTRAS
  const { guestRows, room, sessions } = extras
  // Lead-capture licences that a company's admin buys belong to the company, so the admin must be linked to the company before the sale.
  const isLinked = flow.kind === 'exhibitor' && (await addToInvitingCompanyStaff(ctx, await saving))
  const payer = host === null ? null : await getPayer(ctx, host)
  const ownBillTo = group?.payBy === 'group' ? group.billTo : buildDefaultBillingAddress(answers)
  const billTo = submission.billTo ?? payer?.billTo ?? ownBillTo
  const owner: OrderOwner = payer?.owner ?? (group?.payBy === 'group' ? { groupId: group.id } : { participantId: id })
  const isNew = submission.participant === null
  const isFirst = isNew && 'participantId' in owner && owner.participantId === id
  const sale: PendingSale = {
    owner,
    billTo,
    discountCode: bill.discountCode,
    lines: bill.lines.map(({ guest, ...line }) => ({ ...line, participantId: guest === null ? id : guestRows[guest]!.id })),
    people: [...(isFirstCompletion(submission) ? [] : [id]), ...guestRows.map((row) => row.id)],
    isFirst,
    // An order that existed before may have credit, which is applied to the new invoice after the sale.
    isLastStep: submission.isLastStep === true && isFirst && extras === NO_EXTRAS && isSaleLastStep(flow, completion),
    take,
  }
  const writing = submission.alongside?.(ctx, submission, { id, status: 'complete', is_test_data: snapshot.isTest })
  const terms = { ...snapshot, paymentTermsDays: getPaymentTermsDays(flow, snapshot) }
  const selling = submission.into ? Promise.resolve([]) : recordSales(ctx, terms, [sale, ...room.sales])
  // If a concurrent transaction registered the same person, saving and selling both fail. Only the first error is reported.
  selling.catch(() => {})
  writing?.catch(() => {})
  const participant = await saving
  await writing
  const [claimed, own = claimed] = await selling
  submission.into?.push(sale, ...room.sales)
  if (flow.kind === 'speaker') await linkRegisteredSpeaker(ctx, participant)
  for (const target of waiting) await joinWaitlist(ctx, { ...submission, participant, answers, targets: [target] })
  return {
    participant,
    isCurrent: isNew && !isLinked && extras === NO_EXTRAS && waiting.length === 0 && !submission.into,
    orderId: claimed?.orderId ?? null,
    invoice: claimed?.invoice ?? null,
    order: claimed?.order ?? null,
    own: own ?? null,
    waitsFor: [...waiting, ...sessions.waits.map((binding) => binding.replace('.', ':'))],
    dropped: [...dropped, ...sessions.dropped, ...(submission.dropFull ? sessions.waits : []), ...room.dropped],
    stay: room.stay,
  }
}

/** Whether no rows are written after the sale: for waiting lists, for the speaker or company of the participant, or for lead licences. */
const isSaleLastStep = ({ kind }: Flow, { chosen, take, waiting = [] }: CompletionInput) =>
  take !== undefined &&
  waiting.length === 0 &&
  kind !== 'speaker' &&
  kind !== 'exhibitor' &&
  chosen.every(({ product }) => product.category !== 'leadRetrieval')

interface Extras {
  sessions: { dropped: string[]; waits: string[] }
  room: RoomReservationResult
  guestRows: readonly ParticipantRow[]
}

const NO_EXTRAS: Extras = { sessions: { dropped: [], waits: [] }, room: { stay: null, sales: [], dropped: [] }, guestRows: [] }

const hasExtras = ({ answers, guests, chosen }: CompletionInput) =>
  guests.length > 0 ||
  // A product of the category `session` may be the ticket of a conference session.
  chosen.some(({ product }) => product.category === 'session') ||
  Object.keys(answers).some((binding) => /^@(session|housing)\./.test(binding))

async function addExtras(
  ctx: RegistrationContext,
  participant: ParticipantRow,
  submission: RegistrationSubmission,
  { answers, tags, chosen, guests }: CompletionInput,
): Promise<Extras> {
  const { snapshot, flow, source } = submission
  const products = new Set(chosen.map(({ product }) => product.code))
  const whenFull = submission.whenSessionFull ?? 'wait'
  const sessions = await enrolChosenSessions(ctx, participant, { snapshot, flow, answers, products, whenFull })
  const dropFull = submission.dropFull || submission.isPaid
  const room = await reserveRoom(ctx, participant, { ...submission, dropFull, answers, tags })
  const guestRows = await addGuests(ctx, { snapshot, flow, host: participant, guests, source, isPaid: submission.isPaid })
  return { sessions, room, guestRows }
}

/**
 * Whether the participant completes a registration for the first time. Such a participant holds no earlier products, so the tags are
 * written together with the row instead of being recalculated after the sale.
 */
const isFirstCompletion = ({ participant }: RegistrationSubmission) =>
  participant === null || (participant.status === 'incomplete' && participant.completed_at === null)

async function saveParticipant(
  ctx: RegistrationContext,
  submission: RegistrationSubmission,
  { answers, bill, chosen }: CompletionInput,
  id: string,
): Promise<ParticipantRow> {
  const { snapshot, flow, participant, group = null, host = null } = submission
  // Products, guests and conference sessions are stored in separate tables, not with the answers.
  const storedAnswers = Object.fromEntries(Object.entries(answers).filter(([binding]) => !isBookingAnswerKey(binding)))
  const columns = {
    ...toParticipantAnswerColumns(storedAnswers),
    // A reinstated registration keeps its confirmation number and badge id.
    ...(participant?.confirmation_number ? {} : generateConfirmationAndBadgeIds()),
    status: 'complete' as const,
    completed_at: snapshot.at,
    cancelled_at: null,
    cancel_reason: null,
    version_id: snapshot.versionId,
    flow_slug: flow.slug,
    manual_tags: [...submission.manualTags],
    directory_tags: [...(submission.directoryTags ?? [])],
    group_id: group?.id ?? null,
    host_id: host?.id ?? null,
    guest_type: submission.guestType ?? null,
    counts_toward_capacity: host === null ? null : doGuestsCount(flow),
    discount_code: bill.discountCode,
  }
  const tags = buildNewParticipantTagsSql({
    manualTags: columns.manual_tags,
    directoryTags: columns.directory_tags,
    groupTags: group?.tags ?? [],
    flow,
    products: chosen.map(({ product }) => product),
  })
  // The change is recorded for the audit log first, because the audit row may be sent to the database together with the participant row.
  recordChange(ctx, {
    kind: 'participant',
    id,
    ...(participant ? { before: { status: participant.status } } : {}),
    after: { ...storedAnswers, status: columns.status, flowSlug: flow.slug },
  })
  return participant
    ? updateParticipant(ctx, participant, isFirstCompletion(submission) ? { ...columns, tags } : columns)
    : insertParticipant(ctx, { ...columns, id, tags, source: submission.source, is_test_data: snapshot.isTest })
}
