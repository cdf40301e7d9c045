import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import { foldEmailCase } from '../../kernel/email-address.ts'
import { AppError, invalidArguments } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { countOccupants, toStayPriceColumns, updateNightlyRates } from './change-stay.ts'
import { getReservation, listReservedNights, listReservations, updateReservation } from './reservations.ts'
import type { HousingContext, HousingQueryContext } from './context.ts'
import type { RoomGuestEntry, ReservationRow } from './tables.ts'
import { readNightlyRates } from './take-nights.ts'
import { changeRecordState, changeStateOfRows } from '../../kernel/states.ts'
import { ROOM_SHARE_STATES } from './states.ts'

interface ShareRequest {
  guest: { id: string; name: string }
  isTest: boolean
  /** The room holder's email address or confirmation number, as the guest entered it. */
  named: string
}

/**
 * Requests a bed in another participant's room. The request is accepted immediately if the holder named this guest too; otherwise the
 * holder decides.
 */
export async function requestRoomShare(ctx: HousingContext, { guest, isTest, named }: ShareRequest): Promise<'pending' | 'accepted'> {
  const holder = await findSharedRoomHolder(ctx, { guestId: guest.id, isTest, named })
  await withdrawRoomShareRequests(ctx, [guest.id])
  const [room] = holder ? await listReservations(ctx, [holder.id], ['confirmed']) : []
  const share = {
    tenant_id: ctx.tenantId,
    event_id: ctx.event.id,
    id: newId(),
    participant_id: guest.id,
    is_test_data: isTest,
    named,
    reservation_id: room?.id ?? null,
  }
  await ctx.db.insertInto('room_shares').values(share).execute()
  recordChange(ctx, { kind: 'participant', id: guest.id, after: { sharesRoomWith: named } })
  if (!room?.share_with || !(await isParticipantNamed(ctx, room.share_with, guest.id, isTest))) return 'pending'
  await acceptRoomShare(ctx, share.id)
  return 'accepted'
}

/** Finds the participant who holds the room; null for an email address that is not registered yet. */
export async function findSharedRoomHolder(
  ctx: HousingQueryContext,
  { guestId, isTest, named }: Pick<ShareRequest, 'isTest' | 'named'> & { guestId: string },
): Promise<{ id: string } | null> {
  const holder = await findParticipantNamed(ctx, named, isTest)
  if (holder?.id === guestId) throw invalidShareWith('is your own registration. Name another participant, or choose a room')
  if (!holder && !named.includes('@'))
    throw invalidShareWith(
      "is not a confirmation number of this event. Enter the confirmation number or email address of the room's holder",
    )
  return holder
}

const invalidShareWith = (message: string) => invalidArguments([{ path: '@housing.shareWith', message }])

/**
 * When a participant gets a room, links the pending requests of other participants to share it. A request is accepted if the participant
 * has named its guest too.
 */
export async function linkPendingRoomShares(ctx: HousingContext, room: ReservationRow): Promise<void> {
  const { rows } = await sql<{ id: string; participant_id: string }>`
    update room_shares s set reservation_id = ${room.id}
    from participants h
    where s.tenant_id = ${ctx.tenantId} and s.event_id = ${ctx.event.id} and s.status = 'pending' and s.is_test_data = ${room.is_test_data}
      and h.tenant_id = s.tenant_id and h.event_id = s.event_id and h.id = ${room.participant_id}
      and (lanyard_fold_email(s.named) = h.email_norm or upper(s.named) = h.confirmation_number)
    returning s.id, s.participant_id`.execute(ctx.db)
  for (const share of rows) {
    if (room.share_with !== null && (await isParticipantNamed(ctx, room.share_with, share.participant_id, room.is_test_data)))
      await acceptRoomShare(ctx, share.id)
  }
}

/** Adds the guest to the room, up to its maximum occupancy. The rate may rise with the number of occupants. */
export async function acceptRoomShare(ctx: HousingContext, shareId: string): Promise<ReservationRow> {
  const { rows } = await sql<{ status: string; reservationId: string | null; participantId: string; name: string }>`
    select s.status, s.reservation_id as "reservationId", p.id as "participantId", concat_ws(' ', p.first_name, p.last_name) as name
    from room_shares s join participants p on p.tenant_id = s.tenant_id and p.event_id = s.event_id and p.id = s.participant_id
    where s.tenant_id = ${ctx.tenantId} and s.event_id = ${ctx.event.id} and s.id = ${shareId} for no key update of s`.execute(ctx.db)
  const share = rows[0]
  if (share?.status !== 'pending' || share.reservationId === null)
    throw new AppError('conflict', 'This request for a bed is no longer open.')
  const room = await getReservation(ctx, share.reservationId)
  const guests = [...room.guests, { participantId: share.participantId, name: share.name }]
  const updated = await updateRoomGuests(ctx, room, guests)
  await changeRecordState(ctx, ROOM_SHARE_STATES, { id: shareId, status: share.status }, 'accepted', {
    columns: { decided_at: sql`lanyard_now()` },
  })
  recordChange(ctx, {
    kind: 'reservation',
    id: room.id,
    before: { guests: room.guests.length },
    after: { guests: guests.length },
  })
  return updated
}

/** Saves the guests of a room. Its rate follows the number of occupants, up and down. */
async function updateRoomGuests(ctx: HousingContext, room: ReservationRow, guests: RoomGuestEntry[]): Promise<ReservationRow> {
  const hotel = await eventDb(ctx).selectFrom('event_hotels').selectAll().where('id', '=', room.hotel_id).executeTakeFirstOrThrow()
  const type = await eventDb(ctx)
    .selectFrom('room_types')
    .selectAll()
    .where('hotel_id', '=', room.hotel_id)
    .where('code', '=', room.room_type_code)
    .executeTakeFirstOrThrow()
  if (guests.length > type.max_occupancy)
    throw new AppError('limit_exceeded', `${type.name} takes at most ${type.max_occupancy} people and is full`)
  const occupants = countOccupants(room.booked_occupants, guests)
  const columns = { guests: JSON.stringify(guests), occupants }
  if (occupants === room.occupants) return updateReservation(ctx, room, columns)
  const taken = (await listReservedNights(ctx, room.id)).map(({ night, block_id }) => ({ night, blockId: block_id }))
  const nights = await readNightlyRates(ctx, { hotel, type, occupants }, taken)
  await updateNightlyRates(ctx, room.id, nights)
  return updateReservation(ctx, room, { ...columns, ...toStayPriceColumns({ hotel }, nights) })
}

/** Withdraws these participants' requests to share a room, and removes them from the rooms they share, whose rates may fall. */
export async function withdrawRoomShareRequests(ctx: HousingContext, participantIds: readonly string[]): Promise<void> {
  const isOfParticipants = sql<boolean>`participant_id = any(${participantIds})`
  const accepted = await eventDb(ctx)
    .selectFrom('room_shares')
    .select(['reservation_id as reservationId', 'participant_id as participantId'])
    .where(isOfParticipants)
    .where('status', '=', 'accepted')
    .forNoKeyUpdate()
    .execute()
  await changeStateOfRows(eventDb(ctx), ROOM_SHARE_STATES, 'withdrawn')
    .set({ decided_at: sql<Date>`lanyard_now()` })
    .where(isOfParticipants)
    .execute()
  for (const { reservationId, participantId } of accepted) {
    if (reservationId === null) continue
    const room = await getReservation(ctx, reservationId)
    const guests = room.guests.filter((guest) => guest.participantId !== participantId)
    await updateRoomGuests(ctx, room, guests)
    recordChange(ctx, {
      kind: 'reservation',
      id: room.id,
      before: { guests: room.guests.length },
      after: { guests: guests.length },
    })
  }
}

/** Makes the requests to share a cancelled room pending again. */
export async function reopenRoomShareRequests(ctx: HousingQueryContext, reservationId: string): Promise<void> {
  const ofRoom = eventDb(ctx).updateTable('room_shares').where('reservation_id', '=', reservationId)
  await changeStateOfRows(eventDb(ctx), ROOM_SHARE_STATES, 'pending')
    .set({ decided_at: null })
    .where('reservation_id', '=', reservationId)
    .execute()
  await ofRoom.set({ reservation_id: null }).where('status', '=', 'pending').execute()
}

async function findParticipantNamed(
  { db, tenantId, event }: HousingQueryContext,
  named: string,
  isTest: boolean,
): Promise<{ id: string } | null> {
  const { rows } = await sql<{ id: string }>`
    select id from participants where tenant_id = ${tenantId} and event_id = ${event.id} and status <> 'cancelled' and is_test_data = ${isTest}
      and (email_norm = ${foldEmailCase(named)} or confirmation_number = upper(${named})) order by host_id is not null, created_at, id limit 1`.execute(
    db,
  )
  return rows[0] ?? null
}

async function isParticipantNamed(
  { db, tenantId, event }: HousingQueryContext,
  named: string,
  participantId: string,
  isTest: boolean,
): Promise<boolean> {
  const { rows } = await sql<{ named: boolean }>`
    select true as named from participants where tenant_id = ${tenantId} and event_id = ${event.id} and id = ${participantId}
      and is_test_data = ${isTest} and (email_norm = ${foldEmailCase(named)} or confirmation_number = upper(${named}))`.execute(db)
  return rows.length > 0
}
