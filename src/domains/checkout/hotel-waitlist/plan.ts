import type { EventContext } from '../../../kernel/context.ts'
import { foldEmailCase } from '../../../kernel/email-address.ts'
import { toDayInZone } from '../../../kernel/time.ts'
import { determineRoomGuarantee, computeDepositAmounts } from '../../housing/guarantee.ts'
import { getHotelWaitlistEntries } from '../../housing/waitlist-entries.ts'
import { createRoomHoldPredictor, calculateRoomOfferEnd, type PredictedRoomHold } from '../../housing/waitlist-rooms.ts'
import { getParticipants } from '../../registration/participant-rows.ts'
import {
  addChargeToDryRunEffects,
  addRoomToDryRunEffects,
  type WaitlistFillRun,
  findChargeableCard,
  findAssignmentObstacle,
  isCardExpired,
  toSkippedOutcome,
  toAssignmentRequest,
  type WaitingGuest,
} from './assign.ts'
import { type WaitlistFillOutcome, listWaitlistFillEntries, updateWaitlistFillEntries } from './fill-rows.ts'

interface PlannedEntry {
  entryId: string
  outcome: WaitlistFillOutcome
  /** Adds the predicted outcome of this waiting list entry to the effects that the dry run shows. */
  count: () => void
}

/**
 * Predicts without locks what each waiting list entry will get, for tool calls with too many entries for one transaction. The background
 * job decides again with the rooms that are free then, and charges no more than was predicted. Stops when the requested number of entries
 * would get a room.
 */
export async function planWaitlistFill(ctx: EventContext, run: WaitlistFillRun): Promise<PlannedEntry[]> {
  const ids = (await listWaitlistFillEntries(ctx, run.fill.id)).map(({ entry_id }) => entry_id)
  const entries = new Map((await getHotelWaitlistEntries(ctx, ids)).map((entry) => [entry.id, entry]))
  const people = await getParticipants(ctx, [...new Set([...entries.values()].map(({ participant_id }) => participant_id))])
  const rows = new Map(people.map((row) => [row.id, row]))
  const chooseRoom = createRoomHoldPredictor()
  const planned: PlannedEntry[] = []
  let left = run.fill.most ?? Infinity
  for (const entryId of ids) {
    if (left <= 0) break
    const entry = entries.get(entryId)!
    const guest = { entry, row: rows.get(entry.participant_id)! }
    const one = findAssignmentObstacle(guest) ?? (await planEntry(ctx, run, guest, chooseRoom))
    const { outcome, count } = 'count' in one ? one : { outcome: one, count: () => {} }
    if (outcome.outcome !== 'skipped') left--
    planned.push({ entryId, outcome, count })
  }
  return planned
}

/** Stores the predicted outcomes with the waiting list entries, and adds them to the effects that the dry run shows. */
export async function storeWaitlistFillPlan(ctx: EventContext, { fill }: WaitlistFillRun, planned: readonly PlannedEntry[]): Promise<void> {
  for (const { count } of planned) count()
  await updateWaitlistFillEntries(
    ctx,
    fill.id,
    planned.map(({ entryId, outcome }) => ({ ...outcome, entryId })),
  )
}

type Guest = Pick<WaitingGuest, 'entry' | 'row'>

async function planEntry(
  ctx: EventContext,
  run: WaitlistFillRun,
  guest: Guest,
  chooseRoom: ReturnType<typeof createRoomHoldPredictor>,
): Promise<WaitlistFillOutcome | Omit<PlannedEntry, 'entryId'>> {
  const grant = toAssignmentRequest(run, guest)
  if (calculateRoomOfferEnd(grant.snapshot, guest.entry) === null) return toSkippedOutcome('past_check_in')
  const found = await chooseRoom(ctx, grant)
  return 'reason' in found ? toSkippedOutcome(found.reason) : planRoom(ctx, run, guest, found)
}

/** Predicts what the guest gets if this room is free: the room, an offer, or the room once their card has been charged. */
async function planRoom(
  ctx: EventContext,
  { snapshot }: WaitlistFillRun,
  { entry, row }: Guest,
  { room: { hotel, type, price }, blocks }: PredictedRoomHold,
): Promise<Omit<PlannedEntry, 'entryId'>> {
  const place = { hotel_id: hotel.id, room_type_code: type.code, check_in: entry.check_in, check_out: entry.check_out }
  const scene = { ...snapshot, isTest: row.is_test_data }
  const card = await findChargeableCard(ctx, entry)
  const expired = card !== null && isCardExpired(card, toDayInZone(scene.timezone, scene.at))
  const guarantee = await determineRoomGuarantee(ctx, { snapshot: scene, participantId: row.id, checkIn: entry.check_in, blocks })
  if (guarantee.guarantee_status !== 'pending' && !(expired && scene.config.housing.guarantee === 'card'))
    return { outcome: { outcome: 'filled' }, count: () => countRoom(ctx, { entry, row }, 'filled', place) }
  const amount = scene.config.housing.guarantee === 'deposit' && price ? (computeDepositAmounts(scene, price)?.total ?? null) : null
  if (amount === null || card === null || expired) {
    const reason = expired ? 'card_expired' : card ? null : 'no_card'
    return { outcome: { outcome: 'offered', reason, amount }, count: () => countRoom(ctx, { entry, row }, 'offered', place) }
  }
  const attempt = entry.failedCharges + 1
  return {
    outcome: { outcome: 'charge_pending', amount, attempt, max_charge: amount },
    count: () => addChargeToDryRunEffects(ctx, { entry, attempt, amount, currency: snapshot.currency, card }),
  }
}

/** Adds the room, and the email about it, to the effects that the dry run shows. */
function countRoom(
  ctx: EventContext,
  { entry, row }: Guest,
  outcome: 'filled' | 'offered',
  place: Parameters<typeof addRoomToDryRunEffects>[3],
): void {
  addRoomToDryRunEffects(ctx, entry, outcome, place)
  if (row.email !== null) ctx.effects.add('recipients', foldEmailCase(row.email))
}
