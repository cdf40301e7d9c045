import { recordChange } from '../../kernel/audit.ts'
import { invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { walkFlow } from '../configuration/flow/walk.ts'
import type { Flow } from '../configuration/schema/event-config.ts'
import { type InventoryUnits, productKey, sellUnits } from '../inventory/units.ts'
import { listChosenSessions } from '../sessions/context.ts'
import { lockSessions } from '../sessions/enrol.ts'
import type { OrderOwner } from '../orders/orders.ts'
import type { BillTo } from '../orders/tables.ts'
import { type Answers, toAnswerColumns, isChoice } from './answers.ts'
import type { ParticipantRow } from './participant-shape.ts'
import { toBillTo, getPaymentTermsDays, priceLines } from './sale/billing.ts'
import { recordSales, type RecordedSale, type PendingSale } from './sale/record-sales.ts'
import { assertFlowOpen } from './flows/assert-flow-open.ts'
import { addGuests, readGuests } from './guests.ts'
import { listMissingFields } from './missing-fields.ts'
import { insertParticipant, generateNumbers, updateParticipant } from './participant-rows.ts'
import { capacityNeeded } from './sale/capacity-needed.ts'
import { type RoomResult, reserveRoom } from './sale/rooms.ts'
import { enrolChosenSessions } from './sessions.ts'
import type { EventScope, EventSnapshot } from './event-snapshot.ts'
import { type ChosenProduct, getChosenProducts } from './flows/selection.ts'
import { joinWaitlist, buildSoldOutError, chooseWaitlist } from './waitlist/waitlist.ts'

export interface Submission {
  snapshot: EventSnapshot
  flow: Flow
  /** Normalized by `readAnswers`, and merged with the stored answers. */
  answers: Answers
  manualTags: readonly string[]
  directoryTags?: readonly string[]
  source: ParticipantRow['source']
  /** The incomplete or waitlisted registration to complete; null for a new one. */
  participant: ParticipantRow | null
  /** The waiting list entry whose offer or promotion holds capacity for this registration. */
  entryId?: string | null
  /** The time whose prices apply, if a price was already offered or charged. */
  pricedAt?: Date | null
  group?: { id: string; tags: readonly string[]; payBy: 'group' | 'members'; billTo: BillTo } | null
  host?: ParticipantRow | null
  guestType?: string | null
  billTo?: BillTo
  /** For quotes only: required answers may be missing. */
  isQuote?: boolean
  /** Only organizers can set these overrides. */
  skipRequired?: boolean
  overrideClosed?: boolean
  overrideCapacity?: boolean
  /** Whether to join the waiting list if there is no capacity; otherwise the submission fails. */
  joinWaitlist?: boolean
  /** The tags that decide visibility and prices, if they were confirmed before a payment. */
  pricedTags?: readonly string[]
  /**
   * Whether the payment has arrived. Then the registration is completed without its room if that is no longer available, a confirmed
   * discount code stays valid after its last use, and guests are registered even if their email address is taken.
   */
  isPaid?: boolean
  /** Whether to leave out sold-out products instead of failing, as when a cancelled registration is reinstated. */
  dropFull?: boolean
  /**
   * Collects the sales instead of writing them, so that the caller can register several participants and write all sales to orders at the
   * end.
   */
  into?: PendingSale[]
}

export interface SubmissionResult {
  participant: ParticipantRow
  orderId: string | null
  invoice: { id: string; number: string; total: number } | null
  /** The sale that the participant pays for. Differs from the order and invoice above only if a group pays: then it is the room deposit. */
  own?: RecordedSale | null
  /**
   * Inventory keys (such as `product:dinner`) the participant is on a waiting list for. If the registration is waitlisted, it waits as a
   * whole.
   */
  waitsFor: readonly string[]
  /** Products that are sold out, and sessions that cannot be booked. */
  dropped: readonly string[]
  /** The result of the room choice: a reservation, a waiting list entry or a room share. */
  stay?: RoomResult['stay']
}

/** Evaluates a submission without side effects: visible answers, products and guests. */
export function planSubmission(submission: Submission) {
  const { flow, manualTags, directoryTags = [], group = null, host = null } = submission
  const snapshot = submission.pricedAt ? { ...submission.snapshot, at: submission.pricedAt } : submission.snapshot
  const given = new Set(submission.pricedTags ?? [...manualTags, ...directoryTags, ...(group?.tags ?? [])])
  const walk = walkFlow(snapshot.config, flow, { answers: submission.answers, tags: given, timezone: snapshot.timezone, now: snapshot.at })
  if (!walk.open) throw preconditionFailed(`${flow.name} is not available to people with these tags`)
  if (!submission.overrideClosed) assertFlowOpen(flow, submission.snapshot)
  const missing = submission.isQuote ? [] : listMissingFields(snapshot.config, walk, { skipRequired: submission.skipRequired ?? false })
  if (missing.length > 0) throw invalidArguments(missing)

  const answers = Object.fromEntries(Object.entries(submission.answers).filter(([binding]) => walk.answer(binding) !== undefined))
  const guests = readGuests(flow, answers)
  const order = { discountCode: typeof answers['@discount.code'] === 'string' ? answers['@discount.code'] : null, given: walk.priceTags }
  const billFor = (chosen: readonly ChosenProduct[]) =>
    priceLines({ snapshot, chosen, guests, buyer: submission.billTo ?? toBillTo(answers), ...order })
  return {
    answers,
    tags: walk.tags,
    givenTags: [...given],
    guests,
    chosen: getChosenProducts({ config: snapshot.config, flow, walk, answers, currency: snapshot.currency }),
    billFor,
    capacityFor: (chosen: readonly ChosenProduct[]) =>
      capacityNeeded({ flow, chosen, guests, isGuest: host !== null, discountCode: billFor(chosen).discountCode }),
  }
}

/**
 * Completes a registration. Every registration is completed by this function, whether it comes from web pages, assistants, organizers,
 * groups, guests or test runs. It checks required answers, takes capacity and creates the order in one transaction.
 */
export async function submitRegistration(ctx: EventScope, submission: Submission): Promise<SubmissionResult> {
  const { snapshot, flow } = submission
  const plan = planSubmission(submission)
  const { answers, guests } = plan
  let { chosen } = plan
  const waiting: string[] = []
  const dropped: string[] = []
  if (!snapshot.isTest) {
    for (;;) {
      const full = await takeCapacity(ctx, submission, plan.capacityFor(chosen))
      if (full === null) break
      if (submission.dropFull && full.startsWith('product:')) {
        chosen = chosen.filter(({ product }) => productKey(product.code) !== full)
        dropped.push(full.slice('product:'.length))
        continue
      }
      const waits = submission.joinWaitlist ? chooseWaitlist(snapshot.config, flow, full) : null
      if (waits === null) throw await buildSoldOutError(ctx, snapshot.config, full)
      if (waits === 'registration') return joinWaitlist(ctx, { ...submission, answers, targets: [full] })
      // Only the sold-out product goes to the waiting list; everything else is bought.
      chosen = chosen.filter(({ product }) => product.code !== waits.productCode)
      waiting.push(full)
    }
  }
  return completeRegistration(ctx, submission, { answers, tags: plan.tags, chosen, bill: plan.billFor(chosen), waiting, dropped, guests })
}

/** Takes the capacity of a submission. Returns the key that is sold out, or null. */
async function takeCapacity(ctx: EventScope, submission: Submission, wanted: readonly InventoryUnits[]): Promise<string | null> {
  const holder = { participantId: submission.participant?.id ?? '', entryId: submission.entryId ?? null }
  const kept = wanted.filter(({ key }) => submission.isPaid && key.startsWith('discount:'))
  // The keys of discounts are first in the order of locks.
  if (kept.length > 0) await sellUnits(ctx, holder, kept, { beyondCapacity: true })
  const others = wanted.filter((units) => !kept.includes(units))
  return sellUnits(ctx, holder, others, { beyondCapacity: submission.overrideCapacity ?? false })
}

interface CompletionInput {
  answers: Record<string, unknown>
  tags: readonly string[]
  chosen: readonly ChosenProduct[]
  bill: ReturnType<typeof priceLines>
  waiting: readonly string[]
  dropped: readonly string[]
  guests: ReturnType<typeof readGuests>
}

async function completeRegistration(
  ctx: EventScope,
  submission: Submission,
  { answers, tags, chosen, bill, waiting, dropped, guests }: CompletionInput,
): Promise<SubmissionResult> {
  const { snapshot, flow, group = null, host = null } = submission
  await lockSessions(ctx, listChosenSessions(answers))
  const participant = await saveParticipant(ctx, submission, answers, bill.discountCode)
  const products = new Set(chosen.map(({ product }) => product.code))
  const sessions = await enrolChosenSessions(ctx, participant, { snapshot, flow, answers, products })
  const dropFull = submission.dropFull || submission.isPaid
  const room = await reserveRoom(ctx, participant, { ...submission, dropFull, answers, tags })
  const guestRows = await addGuests(ctx, {
    snapshot,
    flow,
    host: participant,
    guests,
    source: submission.source,
    isPaid: submission.isPaid,
  })
  const billTo = submission.billTo ?? (group?.payBy === 'group' ? group.billTo : toBillTo(answers))
  const owner: OrderOwner =
    host !== null ? { participantId: host.id } : group?.payBy === 'group' ? { groupId: group.id } : { participantId: participant.id }
  const sale: PendingSale = {
    owner,
    billTo,
    discountCode: bill.discountCode,
    lines: bill.lines.map(({ guest, ...line }) => ({ ...line, participantId: guest === null ? participant.id : guestRows[guest]!.id })),
    people: [participant.id, ...guestRows.map(({ id }) => id)],
    isFirst: submission.participant === null && 'participantId' in owner && owner.participantId === participant.id,
  }
  const terms = { ...snapshot, paymentTermsDays: getPaymentTermsDays(flow, snapshot) }
  const [claimed, own = claimed] = submission.into ? [] : await recordSales(ctx, terms, [sale, ...room.sales])
  submission.into?.push(sale, ...room.sales)
  for (const target of waiting) await joinWaitlist(ctx, { ...submission, participant, answers, targets: [target] })
  return {
    participant,
    orderId: claimed?.orderId ?? null,
    invoice: claimed?.invoice ?? null,
    own: own ?? null,
    waitsFor: waiting,
    dropped: [...dropped, ...sessions.dropped, ...(submission.dropFull ? sessions.waits : []), ...room.dropped],
    stay: room.stay,
  }
}

async function saveParticipant(
  ctx: EventScope,
  submission: Submission,
  answers: Answers,
  discountCode: string | null,
): Promise<ParticipantRow> {
  const { snapshot, flow, participant, group = null, host = null } = submission
  // Products, guests and sessions are stored in tables of their own, not with the answers.
  const storedAnswers = Object.fromEntries(Object.entries(answers).filter(([binding]) => !isChoice(binding)))
  const columns = {
    ...toAnswerColumns(storedAnswers),
    // A reinstated registration keeps its confirmation number and badge ID.
    ...(participant?.confirmation_number ? {} : generateNumbers()),
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
    discount_code: discountCode,
  }
  const row = participant
    ? await updateParticipant(ctx, participant, columns)
    : await insertParticipant(ctx, { ...columns, source: submission.source, is_test_data: snapshot.isTest })
  recordChange(ctx, {
    kind: 'participant',
    id: row.id,
    ...(participant ? { before: { status: participant.status } } : {}),
    after: { ...storedAnswers, status: row.status, flowSlug: flow.slug },
  })
  return row
}
