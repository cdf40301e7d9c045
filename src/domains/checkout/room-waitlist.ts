import { type ConfirmedWaitlistRoom, confirmOfferedRoom, offerOrConfirmRoom } from '../housing/fill-waitlist.ts'
import { listHotelWaitlistEntryIds, lockHotelWaitlistEntries } from '../housing/waitlist-entries.ts'
import { sendRoomDeadlineEmail, sendWaitlistRoomEmails, sendRoomEmails, type StayEmail } from '../housing/emails.ts'
import { listStays } from '../housing/reservations.ts'
import { getOpenRoomOffer } from '../housing/room-offers.ts'
import { readStoredAnswers } from '../registration/answers.ts'
import type { RecordedSale } from '../orders/record-sale.ts'
import { recordSales } from '../registration/sale/record-sales.ts'
import { getParticipantEmailAddress } from '../registration/confirmation.ts'
import { formatParticipantName, type ParticipantRow } from '../registration/participant-shape.ts'
import { getParticipant, getParticipants } from '../registration/participant-rows.ts'
import { toRoomAnswers } from '../housing/room-answers.ts'
import { saveRoomAnswersOfParticipants, buildRoomSale } from '../registration/sale/rooms.ts'
import { type RegistrationContext, loadEventSnapshot, type EventSnapshot } from '../registration/event-snapshot.ts'

/**
 * Assigns rooms that became free at a hotel to its waiting list, in order, and emails the participants. No card is charged. Returns the
 * number of entries that got a room or an offer.
 */
export async function assignFreedRooms(ctx: RegistrationContext, snapshot: EventSnapshot, hotelId: string): Promise<number> {
  let served = 0
  for (const entryId of await listHotelWaitlistEntryIds(ctx, { hotelId, isTest: snapshot.isTest })) {
    const [entry] = await lockHotelWaitlistEntries(ctx, [entryId], { skipLocked: true })
    if (entry?.status !== 'waiting' || entry.charging) continue
    const row = await getParticipant(ctx, entry.participant_id)
    if (row.status !== 'complete') continue
    const guest = { id: row.id, name: formatParticipantName(row), groupId: row.group_id, companyId: row.company_id, tags: row.tags }
    const given = await offerOrConfirmRoom(ctx, { snapshot, entry, guest, hotelId })
    if (!given) continue
    served++
    if ('filled' in given) {
      await recordWaitlistRoom(ctx, snapshot, row, given.filled)
      await sendEmailAboutReservation(ctx, row, given.filled.reservation.id, (about) => sendWaitlistRoomEmails(ctx, [about]))
    } else {
      await sendEmailAboutReservation(ctx, row, given.held.id, (about) =>
        sendRoomDeadlineEmail(ctx, 'housing.offered', { ...about, until: given.until }),
      )
    }
  }
  return served
}

/** Accepts a room that was offered to the waiting list. The amount due now is invoiced, and the room must be guaranteed like any other. */
export async function acceptRoomOffer(ctx: RegistrationContext, participantId: string, entryId: string): Promise<{ owes: boolean }> {
  const row = await getParticipant(ctx, participantId)
  const snapshot = { ...(await loadEventSnapshot(ctx, row.is_test_data ? { test: { useDraft: true } } : {})), isTest: row.is_test_data }
  const filled = await confirmOfferedRoom(ctx, { snapshot, ...(await getOpenRoomOffer(ctx, row.id, entryId)) })
  const owes = (await recordWaitlistRoom(ctx, snapshot, row, filled))?.invoice != null
  await sendRoomEmails(ctx, row, { email: await getParticipantEmailAddress(ctx, row), name: formatParticipantName(row) || null })
  return { owes }
}

/** A confirmed hotel room, with its participant. */
export interface RoomWithGuest extends ConfirmedWaitlistRoom {
  row: ParticipantRow
}

/** Stores a confirmed room: its acknowledgement number, its deposit, and the participant's room answers. Null without a deposit. */
export const recordWaitlistRoom = async (
  ctx: RegistrationContext,
  snapshot: EventSnapshot,
  row: ParticipantRow,
  filled: ConfirmedWaitlistRoom,
): Promise<RecordedSale | null> => (await recordWaitlistReservations(ctx, snapshot, [{ ...filled, row }]))[0] ?? null

/**
 * Stores several confirmed rooms, each with its number, deposit and room answers. Reservations of test data have a number series of their
 * own.
 */
export async function recordWaitlistReservations(
  ctx: RegistrationContext,
  snapshot: EventSnapshot,
  rooms: readonly RoomWithGuest[],
): Promise<RecordedSale[]> {
  const recorded = await recordRoomSales(ctx, snapshot, rooms)
  await saveRoomAnswersOfParticipants(ctx, new Map(rooms.map(({ row, reservation }) => [row.id, toRoomAnswers(reservation)])))
  return recorded
}

/** Stores the acknowledgement numbers and deposits of several confirmed rooms. */
export async function recordRoomSales(
  ctx: RegistrationContext,
  snapshot: EventSnapshot,
  rooms: readonly RoomWithGuest[],
): Promise<RecordedSale[]> {
  const recorded: RecordedSale[] = []
  for (const [isTest, same] of Map.groupBy(rooms, ({ row }) => row.is_test_data)) {
    const sales = same.map(({ row, ...filled }) => buildRoomSale(row, readStoredAnswers(row), filled))
    recorded.push(...(await recordSales(ctx, { ...snapshot, isTest }, sales)))
  }
  return recorded
}

/** Emails participants that their room from the waiting list is booked. */
export async function sendWaitlistRoomBookedEmails(ctx: RegistrationContext, rooms: readonly RoomWithGuest[]): Promise<void> {
  const emails = await readReservationEmailData(
    ctx,
    rooms.map(({ row, reservation }) => ({ row, reservationId: reservation.id })),
  )
  await sendWaitlistRoomEmails(ctx, emails)
}

interface RoomToEmailAbout {
  row: ParticipantRow
  reservationId: string
}

/** Emails a participant about a reservation. Does nothing if there is no email address. */
export async function sendEmailAboutReservation(
  ctx: RegistrationContext,
  row: ParticipantRow,
  reservationId: string,
  send: (about: StayEmail) => Promise<void>,
): Promise<void> {
  for (const about of await readReservationEmailData(ctx, [{ row, reservationId }])) await send(about)
}

/**
 * Reads the merge data of emails about reservations, in the given order. Guests without an email address (their host's counts) are left
 * out.
 */
export async function readReservationEmailData(ctx: RegistrationContext, rooms: readonly RoomToEmailAbout[]): Promise<StayEmail[]> {
  const hostIds = new Set(rooms.flatMap(({ row }) => (row.email === null && row.host_id !== null ? [row.host_id] : [])))
  const hosts = hostIds.size === 0 ? [] : await getParticipants(ctx, [...hostIds])
  const addressOf = ({ email, host_id }: ParticipantRow) => email ?? hosts.find(({ id }) => id === host_id)?.email ?? null
  const stays = await listStays(
    ctx,
    rooms.map(({ row }) => row.id),
  )
  return rooms.flatMap(({ row, reservationId }) => {
    const email = addressOf(row)
    const stay = stays.find((one) => one.reservationId === reservationId)
    return email !== null && stay ? [{ participant: row, to: { email, name: formatParticipantName(row) || null }, stay }] : []
  })
}
