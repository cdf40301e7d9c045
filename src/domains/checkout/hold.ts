import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { FieldError } from '../../kernel/errors.ts'
import { findChosenRoom } from '../housing/chosen-room.ts'
import { holdUnits, releaseHolds } from '../inventory/units.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'
import { determineWaitlistedItem } from '../registration/waitlist/waitlist.ts'
import { runWithConditionalRollback } from '../../kernel/savepoint.ts'
import { findCapacityHoldLimit } from './hold-limit.ts'
import {
  findFirstUnfinishedPage,
  loadRegistrationProgress,
  lockRegistrationProgress,
  saveRegistrationProgress,
  type RegistrationProgress,
} from './progress.ts'
import { type RegistrationQuote, buildRegistrationQuote } from './quote.ts'
import { holdRoom } from './room.ts'

export interface CapacityHoldResult {
  progress: RegistrationProgress
  quote: RegistrationQuote
  /**
   * The inventory key (such as `product:dinner`) that is sold out and for which the participant has not accepted the waiting list; null
   * if everything is held.
   */
  full: string | null
  /** The reasons why the chosen room cannot be held. */
  roomErrors: readonly FieldError[]
}

export interface CapacityHoldExpiry {
  /** The time when the hold ends; null for 15 minutes from now. */
  until: Date | null
  /** Whether `until` is the time at which the current hold ends, so that the hold need not be renewed. */
  isCurrent: boolean
}

/**
 * Holds the selected capacity and then the room, by default for 15 minutes. If the event or flow is full, the registration goes to its
 * waiting list automatically. For a product or a room, the participant must accept the waiting list.
 */
export async function holdSelectedCapacity(
  ctx: RegistrationContext,
  begun: RegistrationProgress,
  time: CapacityHoldExpiry,
): Promise<CapacityHoldResult> {
  const { progress, full } = begun.snapshot.isTest ? { progress: begun, full: null } : await holdCapacity(ctx, begun, time.until)
  if (full !== null) return { progress, quote: buildRegistrationQuote(progress), full, roomErrors: [] }
  const roomFaults = await holdRoom(ctx, progress, time)
  const { snapshot, row, answers } = progress
  const withRoom = { ...progress, room: await findChosenRoom(ctx, snapshot, row.id, answers) }
  return { progress: withRoom, quote: buildRegistrationQuote(withRoom), full, roomErrors: roomFaults }
}

async function holdCapacity(
  ctx: RegistrationContext,
  progress: RegistrationProgress,
  until: Date | null,
): Promise<Pick<CapacityHoldResult, 'progress' | 'full'>> {
  const { snapshot, flow, row } = progress
  const quote = buildRegistrationQuote(progress)
  if (quote.chosen.length === 0 || quote.capacity.length === 0) {
    await releaseHolds(ctx, { participantId: row.id })
    return { progress, full: null }
  }
  const full = await holdUnits(ctx, { participantId: row.id }, quote.capacity, until === null ? {} : { until })
  const waits = full === null || full.startsWith('product:') ? null : determineWaitlistedItem(snapshot.config, flow, full)
  if (full === null || waits === null) return { progress, full }
  const waiting = { ...progress, stored: { ...progress.stored, waits: [...progress.stored.waits, full] } }
  await saveRegistrationProgress(ctx, row, { waits: waiting.stored.waits })
  return holdCapacity(ctx, waiting, until)
}

/** Finds the time when the first hold of the participant expires; null if there is none. */
export async function findCapacityHoldExpiry({ db, tenantId, event }: RegistrationContext, participantId: string): Promise<Date | null> {
  const { rows } = await sql<{ until: Date | null }>`
    select min(until) as until from (
      select expires_at as until from holds where tenant_id = ${tenantId} and event_id = ${event.id} and participant_id = ${participantId}
        and entry_id is null and status = 'active' and (charging or expires_at > lanyard_now())
      union all
      select held_until from reservations where tenant_id = ${tenantId} and event_id = ${event.id} and participant_id = ${participantId}
        and entry_id is null and status = 'held' and (charging or held_until > lanyard_now())) held`.execute(db)
  return rows[0]!.until
}

/** Whether capacity could be held for the whole selection. */
const isHeld = ({ full, roomErrors }: CapacityHoldResult) => full === null && roomErrors.length === 0

/** Whether all form pages are finished, so that the participant sees the summary or the payment. */
export const hasFinishedAllPages = (progress: RegistrationProgress): boolean => findFirstUnfinishedPage(progress) === null

/**
 * Holds the whole selection or nothing, within the limits of the mailbox, the network and the total time. Returns whether the selection is
 * held.
 */
async function holdWithinLimits(ctx: RegistrationContext, progress: RegistrationProgress): Promise<boolean> {
  const limit = await findCapacityHoldLimit(ctx, progress, hasFinishedAllPages(progress) ? 'checkout' : 'page')
  if (limit === null) return false
  const held = await runWithConditionalRollback(ctx, () => holdSelectedCapacity(ctx, progress, { until: limit, isCurrent: false }), isHeld)
  if (isHeld(held)) await storeFirstHoldTime(ctx, held)
  return isHeld(held)
}

/** Stores when the registration first held capacity. The limit of the total hold time counts from then. */
export async function storeFirstHoldTime(
  ctx: RegistrationContext,
  { progress, quote }: Pick<CapacityHoldResult, 'progress' | 'quote'>,
): Promise<void> {
  const { row, stored, room, snapshot } = progress
  const holds = quote.capacity.length > 0 || room?.reservation?.status === 'held'
  if (holds && stored.held_since === null) await saveRegistrationProgress(ctx, row, { held_since: snapshot.at })
}

/** Extends the capacity hold of a registration by 15 minutes. Allowed once. */
export async function extendCapacityHold(ctx: RegistrationContext, progress: RegistrationProgress): Promise<void> {
  if (progress.stored.more_time || !(await holdWithinLimits(ctx, progress))) return
  await saveRegistrationProgress(ctx, progress.row, { more_time: true })
  recordChange(ctx, { kind: 'participant', id: progress.row.id, after: { heldAgain: true } })
}

/** Holds the selected capacity after the participant has verified their email address. Sold-out items are reported on a later page. */
export async function holdCapacityIfEmailVerified(ctx: RegistrationContext, participantId: string): Promise<void> {
  await lockRegistrationProgress(ctx, participantId)
  const progress = await loadRegistrationProgress(ctx, participantId)
  if (progress.row.status === 'incomplete' && !progress.row.email_unverified) await holdWithinLimits(ctx, progress)
}
