import { invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { evaluateFlow } from '../configuration/flow/walk.ts'
import type { Flow } from '../configuration/schema/event-config.ts'
import {
  hasAllRequestedUnits,
  type InventoryQuantity,
  toProductInventoryKey,
  readStockExcludingOwnHolds,
  sellUnits,
  type StockLevel,
  type InventoryHolder,
} from '../inventory/units.ts'
import type { RecordedSale } from '../orders/record-sale.ts'
import type { BillTo } from '../orders/tables.ts'
import type { Answers } from './answers.ts'
import { completeRegistration, type RegistrationSaleInput } from './complete-registration.ts'
import type { ParticipantRow } from './participant-shape.ts'
import { buildDefaultBillingAddress, priceOrderLines } from './sale/billing.ts'
import type { PendingSale } from './sale/record-sales.ts'
import { assertFlowOpen } from './flows/assert-flow-open.ts'
import { readGuests } from './guests.ts'
import { listMissingFields } from './missing-fields.ts'
import { listRequiredCapacity } from './sale/capacity-needed.ts'
import type { RoomReservationResult } from './sale/rooms.ts'
import type { FullyBookedSessionPolicy } from './sessions.ts'
import type { RegistrationContext, EventSnapshot } from './event-snapshot.ts'
import { type ChosenProduct, getChosenProducts } from './flows/selection.ts'
import { joinWaitlist, buildSoldOutError, determineWaitlistedItem } from './waitlist/waitlist.ts'

export interface RegistrationSubmission {
  snapshot: EventSnapshot
  flow: Flow
  /** The answers in normalized form, merged with the stored answers. */
  answers: Answers
  manualTags: readonly string[]
  directoryTags?: readonly string[]
  source: ParticipantRow['source']
  /** The incomplete or waitlisted registration to complete; null for a new registration. */
  participant: ParticipantRow | null
  /** The waiting list entry whose offer or promotion holds capacity for this registration. */
  entryId?: string | null
  /** The time that determines the prices, if a price was already offered or charged. */
  pricedAt?: Date | null
  group?: { id: string; tags: readonly string[]; payBy: 'group' | 'members'; billTo: BillTo } | null
  host?: ParticipantRow | null
  guestType?: string | null
  billTo?: BillTo
  /** Whether this is a quote, for which required answers may be missing. */
  isQuote?: boolean
  /** What an organizer may override: required answers, the closing of a flow, and capacity. */
  skipRequired?: boolean
  overrideClosed?: boolean
  overrideCapacity?: boolean
  /** Whether to join the waiting list if there is no capacity; otherwise the submission fails. */
  joinWaitlist?: boolean
  /** What to do if a chosen conference session is full. By default the participant joins its waiting list. */
  whenSessionFull?: FullyBookedSessionPolicy
  /** The participant's tags at the time of the payment, which decide visibility and prices. Set only for a paid registration. */
  pricedTags?: readonly string[]
  /**
   * Whether a stored discount code that can no longer be used gives no discount instead of being refused, for example when a registration
   * is promoted from the waiting list.
   */
  ignoresUnusableCode?: boolean
  /**
   * Whether the payment has arrived. If so, the registration is completed without its room if the room is no longer available, a confirmed
   * discount code stays valid after its last use, and a guest whose email address is taken is registered without it.
   */
  isPaid?: boolean
  /** Whether to leave out sold-out products instead of failing, for example when a cancelled registration is reinstated. */
  dropFull?: boolean
  /**
   * The remaining capacity by inventory key (such as `product:dinner`), if the caller has read it already to save a database round trip.
   */
  stock?: ReadonlyMap<string, StockLevel>
  /** Whether the caller writes no other rows after this registration. If so, the last statement and the commit are sent together. */
  isLastStep?: boolean
  /** Writes further rows about the participant in the round trip that records the order lines. No later step may depend on these rows. */
  alongside?: (
    ctx: RegistrationContext,
    submission: RegistrationSubmission,
    participant: Pick<ParticipantRow, 'id' | 'status' | 'is_test_data'>,
  ) => Promise<void>
  /**
   * Collects the sales instead of writing them, so that the caller can register several participants and then write all sales to orders.
   */
  into?: PendingSale[]
}

export interface SubmissionResult {
  participant: ParticipantRow
  /**
   * Whether `participant` equals the stored row. If false, later steps of the submission changed the row, and callers must read it again.
   */
  isCurrent?: boolean
  orderId: string | null
  invoice: { id: string; number: string; total: number } | null
  /**
   * The sale that the participant pays for. If a group pays, this is the room deposit; otherwise it has the same order and invoice as the
   * registration.
   */
  own?: RecordedSale | null
  /** The order number and amounts, if this registration was billed. */
  order?: RecordedSale['order'] | null
  /**
   * The inventory keys (such as `product:dinner`) for which the participant is on a waiting list. If the key is the event or flow, the
   * whole registration waits.
   */
  waitsFor: readonly string[]
  /** The products that are sold out, and the conference sessions that cannot be booked. */
  dropped: readonly string[]
  /** The result of the room choice: a reservation, a waiting list entry or a room share. */
  stay?: RoomReservationResult['stay']
}

/** Evaluates a submission without side effects: its visible answers, products and guests. */
export function evaluateSubmission(submission: RegistrationSubmission) {
  const { flow, manualTags, directoryTags = [], group = null, host = null } = submission
  const snapshot = submission.pricedAt ? { ...submission.snapshot, at: submission.pricedAt } : submission.snapshot
  const given = new Set(submission.pricedTags ?? [...manualTags, ...directoryTags, ...(group?.tags ?? [])])
  const walk = evaluateFlow(snapshot.config, flow, {
    answers: submission.answers,
    tags: given,
    timezone: snapshot.timezone,
    now: snapshot.at,
  })
  if (!walk.open) throw preconditionFailed(`${flow.name} is not available to people with these tags`)
  if (!submission.overrideClosed) assertFlowOpen(flow, submission.snapshot)
  const missing = submission.isQuote ? [] : listMissingFields(snapshot.config, walk, { skipRequired: submission.skipRequired ?? false })
  if (missing.length > 0) throw invalidArguments(missing)

  const answers = Object.fromEntries(Object.entries(submission.answers).filter(([binding]) => walk.answer(binding) !== undefined))
  const guests = readGuests(flow, answers)
  const order = {
    discountCode: typeof answers['@discount.code'] === 'string' ? answers['@discount.code'] : null,
    ignoresUnusableCode: submission.ignoresUnusableCode,
    given: walk.priceTags,
  }
  const billFor = (chosen: readonly ChosenProduct[]) =>
    priceOrderLines({ snapshot, chosen, guests, buyer: submission.billTo ?? buildDefaultBillingAddress(answers), ...order })
  return {
    answers,
    tags: walk.tags,
    givenTags: [...given],
    guests,
    chosen: getChosenProducts({ config: snapshot.config, flow, walk, answers, currency: snapshot.currency }),
    billFor,
    capacityFor: (chosen: readonly ChosenProduct[]) =>
      listRequiredCapacity({ flow, chosen, guests, isGuest: host !== null, discountCode: billFor(chosen).discountCode }),
  }
}

/**
 * Completes a registration. Every registration is completed by this function, whether it comes from web pages, assistants, organizers,
 * groups, guests or test runs. It checks required answers, takes capacity and creates the order in one transaction. Capacity is taken at
 * the end, together with the order, because all buyers of a product wait for its counter. If the last units were sold meanwhile, the
 * transaction is retried. Capacity is taken first only if a product is already sold out, or if the caller writes the sales of several
 * people.
 */
export async function submitRegistration(ctx: RegistrationContext, submission: RegistrationSubmission): Promise<SubmissionResult> {
  const plan = evaluateSubmission(submission)
  const { answers, tags, guests } = plan
  const holder = { participantId: submission.participant?.id ?? '', entryId: submission.entryId ?? null }
  const complete = (sold: RegistrationSaleInput) =>
    completeRegistration(ctx, submission, { answers, tags, guests, bill: plan.billFor(sold.chosen), ...sold })
  if (submission.snapshot.isTest) return complete({ chosen: plan.chosen })
  const units = plan.capacityFor(plan.chosen)
  if (!submission.into && !submission.isPaid && (await seemsAvailable(ctx, submission, holder, units))) {
    return complete({ chosen: plan.chosen, take: { holder, units, beyondCapacity: submission.overrideCapacity ?? false } })
  }
  const taken = await takeCapacity(ctx, submission, holder, plan)
  if (!('waitsFor' in taken)) return complete(taken)
  await submission.alongside?.(ctx, submission, taken.participant)
  return taken
}

const seemsAvailable = async (
  ctx: RegistrationContext,
  { stock }: RegistrationSubmission,
  holder: InventoryHolder,
  units: readonly InventoryQuantity[],
) =>
  hasAllRequestedUnits(
    stock ??
      (await readStockExcludingOwnHolds(
        ctx,
        holder,
        units.map(({ key }) => key),
      )),
    units,
  )

/** Takes capacity before the order is written. Sold-out products go to a waiting list or are dropped, if the submission allows that. */
async function takeCapacity(
  ctx: RegistrationContext,
  submission: RegistrationSubmission,
  holder: InventoryHolder,
  plan: ReturnType<typeof evaluateSubmission>,
): Promise<RegistrationSaleInput | SubmissionResult> {
  const { config } = submission.snapshot
  let { chosen } = plan
  const waiting: string[] = []
  const dropped: string[] = []
  for (;;) {
    const full = await sellNow(ctx, submission, holder, plan.capacityFor(chosen))
    if (full === null) return { chosen, waiting, dropped }
    if (submission.dropFull && full.startsWith('product:')) {
      chosen = chosen.filter(({ product }) => toProductInventoryKey(product.code) !== full)
      dropped.push(full.slice('product:'.length))
      continue
    }
    const waits = submission.joinWaitlist ? determineWaitlistedItem(config, submission.flow, full) : null
    if (waits === null) throw await buildSoldOutError(ctx, config, full)
    if (waits === 'registration') return joinWaitlist(ctx, { ...submission, answers: plan.answers, targets: [full] })
    // Only the sold-out product goes to the waiting list; all other products are bought.
    chosen = chosen.filter(({ product }) => product.code !== waits.productCode)
    waiting.push(full)
  }
}

/**
 * Sells the capacity that a submission takes, before the order is written. Returns the inventory key (such as `product:dinner`) that is
 * sold out, or null.
 */
async function sellNow(
  ctx: RegistrationContext,
  submission: RegistrationSubmission,
  holder: InventoryHolder,
  wanted: readonly InventoryQuantity[],
): Promise<string | null> {
  const kept = wanted.filter(({ key }) => submission.isPaid && key.startsWith('discount:'))
  // All transactions lock the counters in the same order, beginning with the uses of discount codes, which are counted like capacity.
  if (kept.length > 0) await sellUnits(ctx, holder, kept, { beyondCapacity: true })
  const others = wanted.filter((units) => !kept.includes(units))
  return sellUnits(ctx, holder, others, { beyondCapacity: submission.overrideCapacity ?? false })
}
