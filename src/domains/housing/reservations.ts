import { sql } from 'kysely'
import { type Updateable } from 'kysely'
import { announce, changedFields } from '../../kernel/announce.ts'
import type { Tables } from '../../kernel/columns.ts'
import { MetAnother, notFound } from '../../kernel/errors.ts'
import { takeNumbers } from '../orders/numbers.ts'
import type { AtEvent, Where } from './scene.ts'
import type { ReservationRow } from './tables.ts'

const reservations = ({ db, tenantId, event }: Where) =>
  db.selectFrom('reservations').selectAll().where('tenant_id', '=', tenantId).where('event_id', '=', event.id)

export async function getReservation(ctx: Where, id: string): Promise<ReservationRow> {
  const row = await reservations(ctx).where('id', '=', id).executeTakeFirst()
  if (!row) throw notFound(`No reservation ${id} here`)
  return row
}

/** Of these people, in these states, the oldest first. */
export const reservationsOf = (
  ctx: Where,
  participantIds: readonly string[],
  statuses: readonly ReservationRow['status'][],
): Promise<ReservationRow[]> =>
  reservations(ctx)
    .where('participant_id', '=', sql<string>`any(${participantIds})`)
    .where('status', '=', sql<ReservationRow['status']>`any(${statuses})`)
    .orderBy('created_at')
    .orderBy('id')
    .execute()

/** Changes a reservation that is still as it was read; when it is not, the whole change is done again. */
export async function updateReservation(
  ctx: AtEvent,
  before: ReservationRow,
  columns: Updateable<Tables['reservations']>,
): Promise<ReservationRow> {
  const row = await ctx.db
    .updateTable('reservations')
    .set(columns)
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', '=', before.id)
    .where('revision', '=', before.revision)
    .returningAll()
    .executeTakeFirst()
  if (!row) throw new MetAnother('the reservation was changed meanwhile')
  announceStay(ctx, before, row)
  return row
}

/** A room that is only held is nobody's business yet. */
export function announceStay(
  ctx: AtEvent,
  before: ReservationRow | null,
  { id, is_test_data: isTestData, ...after }: ReservationRow,
): void {
  const of = { entity: 'reservation', id, isTestData }
  if (after.status === 'confirmed' && before?.status !== 'confirmed')
    announce(ctx, { ...of, kind: 'reservation.confirmed', changed: ['status'] })
  else if (after.status === 'cancelled' && before?.status === 'confirmed')
    announce(ctx, { ...of, kind: 'reservation.cancelled', changed: ['status'] })
  else if (before && after.status === 'confirmed')
    announce(ctx, { ...of, kind: 'reservation.changed', changed: changedFields(before, after) })
}

export async function nightsTaken({ db, tenantId, event }: Where, reservationId: string) {
  return db
    .selectFrom('reservation_nights')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .where('reservation_id', '=', reservationId)
    .orderBy('night')
    .execute()
}

/** Gives confirmed stays the numbers that people know them by. Taken with the other numbers, after everything that is scarce. */
export async function numberStays(ctx: AtEvent, ids: readonly string[], isTest: boolean): Promise<void> {
  if (ids.length === 0) return
  const open = await reservations(ctx)
    .where('id', '=', sql<string>`any(${ids})`)
    .where('ack_number', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  const numbers = await takeNumbers(ctx, 'H', isTest ? 'test' : 'real', open.length)
  for (const [index, row] of open.entries()) await updateReservation(ctx, row, { ack_number: numbers[index]!() })
}

/** A stay as people are told of theirs. */
export interface Stay {
  participantId: string
  reservationId: string
  hotel: string
  roomType: string
  checkIn: string
  checkOut: string
  status: ReservationRow['status']
  ackNumber: string | null
}

/** Rooms that these people have or had, in the order of their days; what ran out before it was booked is not told. */
export async function staysOf({ db, tenantId, event }: Where, participantIds: readonly string[]): Promise<Stay[]> {
  if (participantIds.length === 0) return []
  const { rows } = await sql<Stay>`
    select s.participant_id as "participantId", s.id as "reservationId", h.name as hotel, t.name as "roomType", s.check_in as "checkIn",
      s.check_out as "checkOut", s.status, s.ack_number as "ackNumber"
    from reservations s
    join event_hotels h on h.tenant_id = s.tenant_id and h.event_id = s.event_id and h.id = s.hotel_id
    join room_types t on t.tenant_id = s.tenant_id and t.event_id = s.event_id and t.hotel_id = s.hotel_id and t.code = s.room_type_code
    where s.tenant_id = ${tenantId} and s.event_id = ${event.id} and s.participant_id = any(${participantIds}) and s.status <> 'expired'
    order by s.check_in, s.created_at, s.id`.execute(db)
  return rows
}
