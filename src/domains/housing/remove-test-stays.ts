import type { EventScope } from '../../kernel/scoped-db.ts'
import { deleteTestRows } from '../../kernel/test-data.ts'

/** Deletes the rooms and hotel waiting list entries of test participants. */
export async function removeTestStays(ctx: EventScope, participantIds: readonly string[]): Promise<void> {
  await deleteTestRows(ctx, 'room_shares', 'participant_id', participantIds)
  await deleteTestRows(ctx, 'reservation_nights', 'participant_id', participantIds)
  await deleteTestRows(ctx, 'reservations', 'participant_id', participantIds)
  await deleteTestRows(ctx, 'hotel_waitlist_entries', 'participant_id', participantIds)
}
