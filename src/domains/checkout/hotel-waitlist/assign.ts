import type { EventContext } from '../../../kernel/context.ts'
import { AppError } from '../../../kernel/errors.ts'
import { toMoney } from '../../../kernel/money.ts'
import { runInSavepoint } from '../../../kernel/savepoint.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { toDayInZone } from '../../../kernel/time.ts'
import { findDepositToPay } from '../../housing/chosen-room.ts'
import { sendRoomDeadlineEmail } from '../../housing/emails.ts'
import { type ConfirmedWaitlistRoom, confirmOfferedRoom, extendReplacedStay, needsGuarantee } from '../../housing/fill-waitlist.ts'
import { updateReservation } from '../../housing/reservations.ts'
import type { ReservationRow } from '../../housing/tables.ts'
import {
  type HotelWaitlistEntryWithCharges,
  recordWaitlistDepositCharge,
  updateHotelWaitlistEntryStatus,
} from '../../housing/waitlist-entries.ts'
import {
  holdFirstAvailableRoom,
  calculateRoomOfferEnd,
  type RoomAssignmentRequest,
  type RoomSearchCache,
} from '../../housing/waitlist-rooms.ts'
import { findPaymentProcessor, getPaymentProcessor } from '../../payments/processor.ts'
import { findCardWithChargeConsent, type SavedCardRow } from '../../payments/saved-cards.ts'
import type { EventSnapshot } from '../../registration/event-snapshot.ts'
import { formatParticipantName, type ParticipantRow } from '../../registration/participant-shape.ts'
import { sendEmailAboutReservation, type RoomWithGuest } from '../room-waitlist.ts'
import type { WaitlistFillEntryRow, WaitlistFillOutcome, WaitlistFillRow } from './fill-rows.ts'

/** The state of one transaction that gives hotel rooms to waiting list entries. */
export interface WaitlistFillRun {
  fill: WaitlistFillRow
  snapshot: EventSnapshot
  /** Results of room searches for earlier waiting list entries, which this transaction reuses for the next entries. */
  found: RoomSearchCache
  /** The rooms that this transaction has confirmed. Their numbers, room answers and emails are written together at the end. */
  filled: RoomWithGuest[]
  chargeDeposit: (ctx: EventContext, deposit: DepositToCharge) => Promise<string>
}

export interface DepositToCharge {
  entry: HotelWaitlistEntryWithCharges
  held: ReservationRow
  attempt: number
  amount: number
  currency: string
  card: SavedCardRow
}

export interface WaitingGuest {
  entry: HotelWaitlistEntryWithCharges
  row: ParticipantRow
  /**
   * The card charge that the organizer confirmed after the dry run. `any` allows every charge for now: the token that confirms the charges
   * of the dry run is compared with them just before the commit.
   */
  allowed: 'any' | Pick<WaitlistFillEntryRow, 'attempt' | 'max_charge'>
}

export const NOT_CONFIRMED_SKIP_REASON = 'not_confirmed'

export const toSkippedOutcome = (reason: string): WaitlistFillOutcome => ({ outcome: 'skipped', reason })

export const toAssignmentRequest = (
  { fill, snapshot, found }: WaitlistFillRun,
  { entry, row }: Pick<WaitingGuest, 'entry' | 'row'>,
): RoomAssignmentRequest => ({
  snapshot: { ...snapshot, isTest: row.is_test_data },
  entry,
  guest: { id: row.id, name: formatParticipantName(row), groupId: row.group_id, companyId: row.company_id, tags: row.tags },
  hotelId: fill.hotel_id,
  only: fill.hotel_id === null ? null : { hotelId: fill.hotel_id, roomTypeCode: fill.room_type_code },
  useReturned: fill.use_returned,
  found,
})

/** Returns the reason why a waiting list entry cannot get a room even if rooms are free; null if it can. */
export function findAssignmentObstacle({ entry, row }: Pick<WaitingGuest, 'entry' | 'row'>): WaitlistFillOutcome | null {
  if (entry.status !== 'waiting') return toSkippedOutcome(entry.status)
  if (entry.charging) return toSkippedOutcome('charge_pending')
  return row.status === 'complete' ? null : toSkippedOutcome('not_registered')
}

/**
 * Gives one waiting list entry a room, an offer, or a room that is held while its card is charged; otherwise skips the entry with a reason.
 */
export async function assignRoom(ctx: EventContext, run: WaitlistFillRun, guest: WaitingGuest): Promise<WaitlistFillOutcome> {
  const obstacle = findAssignmentObstacle(guest)
  if (obstacle) return obstacle
  const tried = await runInSavepoint(ctx, () => holdAndDecide(ctx, run, guest))
  return tried.refused ? toSkippedOutcome(tried.refused.message) : tried.done
}

async function holdAndDecide(ctx: EventContext, run: WaitlistFillRun, guest: WaitingGuest): Promise<WaitlistFillOutcome> {
  const { entry, row } = guest
  const grant = toAssignmentRequest(run, guest)
  const snapshot = { ...run.snapshot, isTest: row.is_test_data }
  const until = calculateRoomOfferEnd(snapshot, entry)
  if (until === null) return toSkippedOutcome('past_check_in')
  const extended = await extendReplacedStay(ctx, grant)
  if (extended) return storeFilledRoom(ctx, run, guest, extended)
  const found = await holdFirstAvailableRoom(ctx, grant, until)
  if ('reason' in found) return toSkippedOutcome(found.reason)
  const { held } = found
  const card = await findChargeableCard(ctx, entry)
  const expired = card !== null && isCardExpired(card, toDayInZone(snapshot.timezone, snapshot.at))
  const guaranteed = !(await needsGuarantee(ctx, snapshot, held))
  if (guaranteed && !(expired && snapshot.config.housing.guarantee === 'card')) return fill(ctx, run, guest, held)
  const hotel = await eventDb(ctx).selectFrom('event_hotels').selectAll().where('id', '=', held.hotel_id).executeTakeFirstOrThrow()
  const deposit = await findDepositToPay(ctx, snapshot, held, hotel)
  if (!deposit || card === null || expired)
    return offerHeldRoom(ctx, guest, {
      held,
      until,
      amount: deposit?.total ?? null,
      reason: expired ? 'card_expired' : card ? null : 'no_card',
    })
  return charge(ctx, run, guest, { held, amount: deposit.total, card })
}

async function fill(ctx: EventContext, run: WaitlistFillRun, guest: WaitingGuest, held: ReservationRow): Promise<WaitlistFillOutcome> {
  const { entry, row } = guest
  const snapshot = { ...run.snapshot, isTest: row.is_test_data }
  return storeFilledRoom(ctx, run, guest, await confirmOfferedRoom(ctx, { snapshot, entry, held }))
}

function storeFilledRoom(
  ctx: EventContext,
  run: WaitlistFillRun,
  { entry, row }: WaitingGuest,
  { reservation, deposit }: ConfirmedWaitlistRoom,
): WaitlistFillOutcome {
  run.filled.push({ row, reservation, deposit })
  addRoomToDryRunEffects(ctx, entry, 'filled', reservation)
  return { outcome: 'filled', reason: null, reservation_id: reservation.id }
}

interface Offer {
  held: ReservationRow
  until: Date
  amount: number | null
  /** The reason why the participant's card was not charged. */
  reason: string | null
}

/** Offers the room that is held for the participant, by an email with a link to accept it before `until`. */
export async function offerHeldRoom(
  ctx: EventContext,
  { entry, row }: Pick<WaitingGuest, 'entry' | 'row'>,
  { held, until, amount, reason }: Offer,
): Promise<WaitlistFillOutcome> {
  await updateHotelWaitlistEntryStatus(ctx, entry, { status: 'offered', offered_until: until })
  await sendEmailAboutReservation(ctx, row, held.id, (about) => sendRoomDeadlineEmail(ctx, 'housing.offered', { ...about, until }))
  addRoomToDryRunEffects(ctx, entry, 'offered', held)
  return { outcome: 'offered', reason, amount, reservation_id: held.id }
}

async function charge(
  ctx: EventContext,
  run: WaitlistFillRun,
  { entry, allowed }: WaitingGuest,
  { held, amount, card }: { held: ReservationRow; amount: number; card: SavedCardRow },
): Promise<WaitlistFillOutcome> {
  const attempt = entry.failedCharges + 1
  if (allowed !== 'any' && (allowed.attempt !== attempt || amount > (allowed.max_charge ?? 0)))
    throw new AppError('precondition_failed', NOT_CONFIRMED_SKIP_REASON)
  const { currency } = run.snapshot
  const kept = await updateReservation(ctx, held, { charging: true, saved_card_id: card.id })
  const chargeId = await run.chargeDeposit(ctx, { entry, held: kept, attempt, amount, currency, card })
  await recordWaitlistDepositCharge(ctx, entry, { chargeId, card, attempt })
  addChargeToDryRunEffects(ctx, { entry, attempt, amount, currency, card })
  return {
    outcome: 'charge_pending',
    reason: null,
    amount,
    reservation_id: held.id,
    charge_id: chargeId,
    attempt,
    max_charge: amount,
  }
}

/** Adds a card charge to the effects of the dry run. A `conditional` charge is made only if the card of an earlier entry is declined. */
export function addChargeToDryRunEffects(
  ctx: EventContext,
  { entry, attempt, amount, currency, card }: Omit<DepositToCharge, 'held'>,
  { conditional = false } = {},
): void {
  ctx.effects.add('charges', `charge housing:${entry.id}:${attempt} ${conditional ? 'up to ' : ''}${amount}`, {
    ...sampleOf(entry, conditional ? 'charge_if_declined' : 'charge_pending'),
    amount: toMoney(amount, currency),
    card: `${card.brand ?? 'card'} ${card.last4 ?? ''}`.trim(),
  })
}

type Place = Pick<ReservationRow, 'hotel_id' | 'room_type_code' | 'check_in' | 'check_out'>

/** Adds an assigned or offered room to the effects of the dry run. */
export const addRoomToDryRunEffects = (
  ctx: EventContext,
  entry: HotelWaitlistEntryWithCharges,
  outcome: 'filled' | 'offered',
  place: Place,
): void => ctx.effects.add('changes', `${outcome === 'filled' ? 'fill' : 'offer'} ${entry.id} ${placeOf(place)}`, sampleOf(entry, outcome))

const sampleOf = ({ id, participant_id }: HotelWaitlistEntryWithCharges, outcome: string) => ({
  entryId: id,
  participantId: participant_id,
  outcome,
})

const placeOf = ({ hotel_id, room_type_code, check_in, check_out }: Place) => `${hotel_id} ${room_type_code} ${check_in} ${check_out}`

/**
 * Finds the card that may be charged for the entry; null without a card or consent. An entry that has already paid is not charged again.
 */
export async function findChargeableCard(ctx: EventContext, entry: HotelWaitlistEntryWithCharges): Promise<SavedCardRow | null> {
  const provider = findPaymentProcessor(ctx, { isTestData: entry.is_test_data })
  if (entry.charged || !provider) return null
  return findCardWithChargeConsent(ctx, { participantId: entry.participant_id, provider: provider.name })
}

/** Whether a card with this expiry date (`MM/YYYY`) has expired on this day. Without a date, the card processor decides. */
export function isCardExpired({ expires }: Pick<SavedCardRow, 'expires'>, today: string): boolean {
  const [month, year] = expires?.split('/') ?? []
  return month !== undefined && year !== undefined && `${year}-${month}` < today.slice(0, 7)
}

/** Throws if room deposits would have to be charged and no card processor is configured. */
export function requireCardProcessorForDeposits(
  ctx: EventContext,
  { config }: EventSnapshot,
  entries: readonly HotelWaitlistEntryWithCharges[],
): void {
  if (config.housing.guarantee !== 'deposit') return
  for (const isTestData of new Set(entries.map((entry) => entry.is_test_data))) getPaymentProcessor(ctx, { isTestData })
}
