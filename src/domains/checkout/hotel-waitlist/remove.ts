import { getDatabaseTime } from '../../../kernel/database-time.ts'
import { sendEmail } from '../../../kernel/email.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { releaseHeldRoom } from '../../housing/reserve.ts'
import {
  type HotelWaitlistEntryWithCharges,
  findHeldRoom,
  lockHotelWaitlistEntries,
  lockWaitlistEntryRoomNights,
  updateHotelWaitlistEntryStatus,
} from '../../housing/waitlist-entries.ts'
import { getParticipantEmailAddress } from '../../registration/confirmation.ts'
import { formatParticipantName } from '../../registration/participant-shape.ts'
import { getParticipant } from '../../registration/participant-rows.ts'
import { waitlistRemovalNotice } from './removal-notice.ts'

interface RemovalRequest {
  entryIds: readonly string[]
  reason: string
  notify?: boolean | undefined
}

/**
 * Removes entries from the waiting list of hotels and releases the rooms that were offered to them. The released rooms are not offered to
 * other entries.
 */
export async function removeFromHotelWaitlist(ctx: EventContext, { entryIds, reason, notify = false }: RemovalRequest) {
  const ids = [...new Set(entryIds)]
  await lockWaitlistEntryRoomNights(ctx, ids)
  const entries = new Map((await lockHotelWaitlistEntries(ctx, ids)).map((entry) => [entry.id, entry]))
  if (entries.size === 0)
    throw notFound(`No hotel waiting list entry ${ids[0]} here. get_housing_summary with include waitlist lists entries with their ids`)
  const skipped: { entryId: string; reason: string }[] = []
  let removed = 0
  for (const entryId of ids) {
    const entry = entries.get(entryId)
    const blocked = entry ? findObstacle(entry) : 'not_found'
    if (blocked !== null) skipped.push({ entryId, reason: blocked })
    else {
      await removeEntry(ctx, entry!, reason)
      if (notify) await notifyRemoved(ctx, entry!, reason)
      removed++
    }
  }
  return { removed, skipped }
}

const findObstacle = ({ charging, status }: HotelWaitlistEntryWithCharges): string | null =>
  charging ? 'charge_pending' : status === 'waiting' || status === 'offered' ? null : status

async function removeEntry(ctx: EventContext, entry: HotelWaitlistEntryWithCharges, reason: string): Promise<void> {
  const held = await findHeldRoom(ctx, entry.id)
  if (held) await releaseHeldRoom(ctx, held)
  await updateHotelWaitlistEntryStatus(ctx, entry, { status: 'removed', offered_until: null, reason, ended_at: await getDatabaseTime(ctx) })
  ctx.effects.add('deletes', entry.id, { entryId: entry.id, participantId: entry.participant_id, status: entry.status })
}

async function notifyRemoved(ctx: EventContext, entry: HotelWaitlistEntryWithCharges, reason: string): Promise<void> {
  const row = await getParticipant(ctx, entry.participant_id)
  if (row.email === null && row.host_id === null) return
  const hotel =
    entry.hotel_id === null
      ? null
      : await eventDb(ctx).selectFrom('event_hotels').select('name').where('id', '=', entry.hotel_id).executeTakeFirstOrThrow()
  await sendEmail(ctx, waitlistRemovalNotice, {
    to: {
      address: await getParticipantEmailAddress(ctx, row),
      ...(formatParticipantName(row) ? { name: formatParticipantName(row) } : {}),
    },
    content: { event: ctx.event.name, hotel: hotel?.name ?? null, checkIn: entry.check_in, checkOut: entry.check_out, reason },
    source: { kind: 'hotelWaitlistEntry', id: entry.id, recipientKey: 'removed' },
    locale: row.language,
    eventId: ctx.event.id,
    fromName: ctx.event.name,
    isTestData: row.is_test_data,
  })
}
