import type { EventContext } from '../../../kernel/context.ts'
import { lockHotelWaitlistEntries, lockWaitlistEntryRoomNights } from '../../housing/waitlist-entries.ts'
import { createRoomSearchCache, NO_ROOMS_REASON } from '../../housing/waitlist-rooms.ts'
import { loadEventSnapshot } from '../../registration/event-snapshot.ts'
import { getParticipants } from '../../registration/participant-rows.ts'
import { sendWaitlistRoomBookedEmails, recordWaitlistReservations } from '../room-waitlist.ts'
import { assignRoom, type WaitlistFillRun } from './assign.ts'
import {
  countWaitlistFillEntries,
  type WaitlistFillOutcome,
  type WaitlistFillProgress,
  type WaitlistFillRow,
  listOpenWaitlistFillEntries,
  updateWaitlistFillEntries,
} from './fill-rows.ts'

export const loadWaitlistFillRun = async (
  ctx: EventContext,
  fill: WaitlistFillRow,
  chargeDeposit: WaitlistFillRun['chargeDeposit'],
): Promise<WaitlistFillRun> => ({
  fill,
  snapshot: await loadEventSnapshot(ctx),
  found: createRoomSearchCache(),
  filled: [],
  chargeDeposit,
})

interface ServeOptions {
  /** The maximum number of waiting list entries to process in this transaction. */
  limit?: number
  /**
   * Whether to make card charges that are not confirmed yet. The token that confirms the charges of a dry run is compared with them just
   * before the commit.
   */
  unconfirmed?: boolean
  /** Whether to leave out waiting list entries that were processed before, including those for which no room was free. */
  onlyNew?: boolean
  /** A reason for which an entry of the waiting list is skipped. Processing stops there, so that no later entry gets a room first. */
  stopAt?: string
}

/**
 * Gives rooms, in order, to the waiting list entries of a fill (a call that gives hotel rooms to the waiting list) that have none yet,
 * until the requested number of entries have one. The caller must have locked the fill (`lockWaitlistFill`).
 */
export async function assignRoomsToWaitlistEntries(
  ctx: EventContext,
  run: WaitlistFillRun,
  { limit, unconfirmed = false, onlyNew = false, stopAt }: ServeOptions = {},
): Promise<void> {
  const { id: fillId, most } = run.fill
  let left = (most ?? Infinity) - (await countWaitlistFillEntries(ctx, fillId)).served
  const open = await listOpenWaitlistFillEntries(ctx, fillId, { orSkippedFor: onlyNew ? undefined : NO_ROOMS_REASON, limit })
  const ids = open.map(({ entry_id }) => entry_id)
  await lockWaitlistEntryRoomNights(ctx, ids)
  const entries = new Map((await lockHotelWaitlistEntries(ctx, ids, { skipLocked: true })).map((entry) => [entry.id, entry]))
  const people = await getParticipants(ctx, [...new Set([...entries.values()].map(({ participant_id }) => participant_id))])
  const rows = new Map(people.map((row) => [row.id, row]))
  const outcomes: (WaitlistFillOutcome & { entryId: string })[] = []
  for (const { entry_id: entryId, ...confirmed } of open) {
    if (left <= 0) break
    const entry = entries.get(entryId)
    const done = entry
      ? await assignRoom(ctx, run, { entry, row: rows.get(entry.participant_id)!, allowed: unconfirmed ? 'any' : confirmed })
      : { outcome: 'skipped' as const, reason: 'busy' }
    if (done.reason !== null && done.reason === stopAt) break
    if (done.outcome !== 'skipped') left--
    outcomes.push({ ...done, entryId })
  }
  await updateWaitlistFillEntries(ctx, fillId, outcomes)
  const filled = run.filled.splice(0)
  await recordWaitlistReservations(ctx, run.snapshot, filled)
  await sendWaitlistRoomBookedEmails(ctx, filled)
}

/** Whether to process more waiting list entries: some are left, and fewer rooms than requested have been given. */
export const hasWaitlistEntriesToProcess = ({ most }: WaitlistFillRow, { total, processed, served }: WaitlistFillProgress): boolean =>
  processed < total && served < (most ?? Infinity)
