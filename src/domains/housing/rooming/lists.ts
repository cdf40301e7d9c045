import { sql } from 'kysely'
import { recordChange } from '../../../kernel/audit.ts'
import { sendEmail } from '../../../kernel/email.ts'
import { foldEmailCase } from '../../../kernel/email-address.ts'
import { preconditionFailed } from '../../../kernel/errors.ts'
import { enqueueJob } from '../../../kernel/jobs.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import type { HousingContext } from '../context.ts'
import type { HotelRow } from '../tables.ts'
import { findRoomingListDifferences } from './differences.ts'
import { hotelAccessLinkEmail, roomingListEmail } from './emails.ts'
import { storeRoomingListFiles } from './files.ts'
import { createHotelAccessLink, type HotelContact } from './links.ts'
import { findLatestRoomingList, listRoomsOfRoomingList, toRoomingListRow } from './rows.ts'

/** Creates the next version of a hotel's rooming list; a job stores its files. Returns null if nothing changed since the last one. */
export async function createRoomingList(ctx: HousingContext, hotelId: string) {
  // The lock on the hotel's row prevents two concurrent calls from creating a version each.
  await eventDb(ctx).selectFrom('event_hotels').select('id').where('id', '=', hotelId).forNoKeyUpdate().execute()
  const rows = (await listRoomsOfRoomingList(ctx, hotelId)).map(toRoomingListRow)
  const last = await findLatestRoomingList(ctx, hotelId)
  const { changes, cancelled } = findRoomingListDifferences(last?.rows ?? [], rows)
  if (last && changes.size + cancelled.length === 0) return null
  const added = [...changes.values()].filter((change) => change === 'new').length
  const list = await ctx.db
    .insertInto('rooming_lists')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      hotel_id: hotelId,
      version: (last?.version ?? 0) + 1,
      rows: JSON.stringify(rows),
      added,
      changed: changes.size - added,
      cancelled: cancelled.length,
    })
    .returning(['version', 'added', 'changed', 'cancelled'])
    .executeTakeFirstOrThrow()
  recordChange(ctx, { kind: 'hotel', id: hotelId, after: { roomingList: list.version, rooms: rows.length } })
  await enqueueJob(ctx, storeRoomingListFiles, { hotelId, version: list.version }, { eventId: ctx.event.id })
  return { ...list, rooms: rows.length }
}

/** Creates the next version of the rooming list and emails a link to it to every contact of the hotel. */
export async function sendRoomingList(ctx: HousingContext, hotel: HotelRow) {
  const list = await createRoomingList(ctx, hotel.id)
  if (!list) return null
  for (const contact of hotel.contacts) {
    const token = await createHotelAccessLink(ctx, hotel.id, contact)
    await sendEmail(ctx, roomingListEmail, {
      to: { address: contact.email, name: contact.name },
      content: { ...list, hotel: hotel.name, event: ctx.event.name, path: `/hotel/${token.reveal()}` },
      source: { kind: 'roomingList', id: `${hotel.id} ${list.version}`, recipientKey: foldEmailCase(contact.email) },
    })
  }
  return { ...list, sentTo: hotel.contacts.length }
}

/** Emails a new link to the contacts of a hotel, or to one of them. */
export async function sendHotelAccessLinks(
  ctx: HousingContext,
  hotel: HotelRow,
  to: readonly HotelContact[] = hotel.contacts,
): Promise<number> {
  if (to.length === 0) throw preconditionFailed(`${hotel.name} has no contact. Add one with an email address first`)
  const { rows } = await sql<{ now: Date }>`select lanyard_now() as now`.execute(ctx.db)
  for (const contact of to) {
    const token = await createHotelAccessLink(ctx, hotel.id, contact)
    await sendEmail(ctx, hotelAccessLinkEmail, {
      to: { address: contact.email, name: contact.name },
      content: { hotel: hotel.name, event: ctx.event.name, path: `/hotel/${token.reveal()}` },
      source: { kind: 'hotelLink', id: `${hotel.id} ${rows[0]!.now.toISOString()}`, recipientKey: foldEmailCase(contact.email) },
    })
  }
  return to.length
}
