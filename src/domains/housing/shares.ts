import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import { AppError, invalidArguments } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { priceColumns, rerate } from './change.ts'
import { getReservation, nightsTaken, reservationsOf, updateReservation } from './reservations.ts'
import type { AtEvent, Where } from './scene.ts'
import type { GuestOfRoom, ReservationRow } from './tables.ts'
import { rated } from './take.ts'

interface Asking {
  guest: { id: string; name: string }
  isTest: boolean
  /** The holder's email address or confirmation number. */
  named: string
}

/** Asks for a bed in somebody's room. It is theirs at once where the holder has named them too, else when the holder says so. */
export async function askToShare(ctx: AtEvent, { guest, isTest, named }: Asking): Promise<'pending' | 'accepted'> {
  const holder = await holderNamed(ctx, { guestId: guest.id, isTest, named })
  await withdrawShares(ctx, [guest.id])
  const [room] = holder ? await reservationsOf(ctx, [holder.id], ['confirmed']) : []
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
  if (!room?.share_with || !(await isNamed(ctx, room.share_with, guest.id, isTest))) return 'pending'
  await acceptShare(ctx, share.id)
  return 'accepted'
}

/** Whoever is meant; null for an address that nobody registered with yet. */
export async function holderNamed(
  ctx: Where,
  { guestId, isTest, named }: Pick<Asking, 'isTest' | 'named'> & { guestId: string },
): Promise<{ id: string } | null> {
  const holder = await whoIs(ctx, named, isTest)
  if (holder?.id === guestId) throw wrong('is the person themselves — name somebody else, or choose a room')
  if (!holder && !named.includes('@'))
    throw wrong('is no confirmation number of this event — give that of the holder of the room, or their email')
  return holder
}

const wrong = (message: string) => invalidArguments([{ path: '@housing.shareWith', message }])

/** Somebody has a room now: those who asked for a bed with them are told so, and those whom they named have it. */
export async function settleShares(ctx: AtEvent, room: ReservationRow): Promise<void> {
  const { rows } = await sql<{ id: string; participant_id: string }>`
    update room_shares s set reservation_id = ${room.id}
    from participants h
    where s.tenant_id = ${ctx.tenantId} and s.event_id = ${ctx.event.id} and s.status = 'pending' and s.is_test_data = ${room.is_test_data}
      and h.tenant_id = s.tenant_id and h.event_id = s.event_id and h.id = ${room.participant_id}
      and (lower(s.named) = h.email_norm or upper(s.named) = h.confirmation_number)
    returning s.id, s.participant_id`.execute(ctx.db)
  for (const share of rows) {
    if (room.share_with !== null && (await isNamed(ctx, room.share_with, share.participant_id, room.is_test_data)))
      await acceptShare(ctx, share.id)
  }
}

/** The holder takes somebody in: no more than the room has place for. More people may cost more. */
export async function acceptShare(ctx: AtEvent, shareId: string): Promise<ReservationRow> {
  const { rows } = await sql<{ status: string; reservationId: string | null; participantId: string; name: string }>`
    select s.status, s.reservation_id as "reservationId", p.id as "participantId", concat_ws(' ', p.first_name, p.last_name) as name
    from room_shares s join participants p on p.tenant_id = s.tenant_id and p.event_id = s.event_id and p.id = s.participant_id
    where s.tenant_id = ${ctx.tenantId} and s.event_id = ${ctx.event.id} and s.id = ${shareId} for no key update of s`.execute(ctx.db)
  const share = rows[0]
  if (share?.status !== 'pending' || share.reservationId === null) throw new AppError('conflict', 'Nobody asks for this bed any more')
  const room = await getReservation(ctx, share.reservationId)
  const guests = [...room.guests, { participantId: share.participantId, name: share.name }]
  const updated = await sleepsIn(ctx, room, guests)
  await ctx.db
    .updateTable('room_shares')
    .set({ status: 'accepted', decided_at: sql<Date>`lanyard_now()` })
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', '=', shareId)
    .execute()
  recordChange(ctx, { kind: 'reservation', id: room.id, before: { guests: room.guests.length }, after: { guests: guests.length } })
  return updated
}

async function sleepsIn(ctx: AtEvent, room: ReservationRow, guests: readonly GuestOfRoom[]): Promise<ReservationRow> {
  const place = { tenant_id: ctx.tenantId, event_id: ctx.event.id }
  const hotel = await ctx.db
    .selectFrom('event_hotels')
    .selectAll()
    .where((eb) => eb.and({ ...place, id: room.hotel_id }))
    .executeTakeFirstOrThrow()
  const type = await ctx.db
    .selectFrom('room_types')
    .selectAll()
    .where((eb) => eb.and({ ...place, hotel_id: room.hotel_id, code: room.room_type_code }))
    .executeTakeFirstOrThrow()
  if (guests.length > type.max_occupancy)
    throw new AppError('limit_exceeded', `${type.name} takes ${type.max_occupancy} people, and as many sleep there`)
  const occupants = Math.max(room.occupants, guests.length)
  const columns = { guests: JSON.stringify(guests), occupants }
  if (occupants === room.occupants) return updateReservation(ctx, room, columns)
  const taken = (await nightsTaken(ctx, room.id)).map(({ night, block_id }) => ({ night, blockId: block_id }))
  const nights = await rated(ctx, { hotel, type, occupants }, taken)
  await rerate(ctx, room.id, nights)
  return updateReservation(ctx, room, { ...columns, ...priceColumns({ hotel }, nights) })
}

/** Who goes asks for no bed any more and sleeps in nobody's room. */
export async function withdrawShares(ctx: AtEvent, participantIds: readonly string[]): Promise<void> {
  const { rows } = await sql<{ reservationId: string | null; participantId: string; was: string }>`
    with open as (
      select id, status from room_shares where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id}
        and participant_id = any(${participantIds}) and status in ('pending', 'accepted') for no key update)
    update room_shares s set status = 'withdrawn', decided_at = lanyard_now() from open
    where s.tenant_id = ${ctx.tenantId} and s.event_id = ${ctx.event.id} and s.id = open.id
    returning s.reservation_id as "reservationId", s.participant_id as "participantId", open.status as was`.execute(ctx.db)
  for (const { reservationId, participantId, was } of rows) {
    if (reservationId === null || was !== 'accepted') continue
    const room = await getReservation(ctx, reservationId)
    await updateReservation(ctx, room, { guests: JSON.stringify(room.guests.filter((guest) => guest.participantId !== participantId)) })
  }
}

/** A room that is given up has no beds: who was to sleep there asks on. */
export async function reopenShares({ db, tenantId, event }: Where, reservationId: string): Promise<void> {
  await db
    .updateTable('room_shares')
    .set({ status: 'pending', reservation_id: null, decided_at: null })
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .where('reservation_id', '=', reservationId)
    .where('status', 'in', ['pending', 'accepted'])
    .execute()
}

async function whoIs({ db, tenantId, event }: Where, named: string, isTest: boolean): Promise<{ id: string } | null> {
  const { rows } = await sql<{ id: string }>`
    select id from participants where tenant_id = ${tenantId} and event_id = ${event.id} and status <> 'cancelled' and is_test_data = ${isTest}
      and (email_norm = lower(${named}) or confirmation_number = upper(${named})) order by host_id is not null, created_at, id limit 1`.execute(
    db,
  )
  return rows[0] ?? null
}

async function isNamed({ db, tenantId, event }: Where, named: string, participantId: string, isTest: boolean): Promise<boolean> {
  const { rows } = await sql<{ named: boolean }>`
    select true as named from participants where tenant_id = ${tenantId} and event_id = ${event.id} and id = ${participantId}
      and is_test_data = ${isTest} and (email_norm = lower(${named}) or confirmation_number = upper(${named}))`.execute(db)
  return rows.length > 0
}
