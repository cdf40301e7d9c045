import { sql } from 'kysely'
import { type Updateable } from 'kysely'
import { announceToWebhooks, listChangedFields } from '../../kernel/announce.ts'
import type { Tables } from '../../kernel/columns.ts'
import { SerializationConflict, notFound } from '../../kernel/errors.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { takeNextRecordNumbers } from '../orders/numbers.ts'
import type { HousingContext, HousingQueryContext } from './context.ts'
import type { ReservationRow } from './tables.ts'
import { checkStateChange } from '../../kernel/states.ts'
import { GUARANTEE_STATES, RESERVATION_STATES } from './states.ts'

const reservations = (ctx: HousingQueryContext) => eventDb(ctx).selectFrom('reservations').selectAll()

export async function getReservation(ctx: HousingQueryContext, id: string): Promise<ReservationRow> {
  const row = await reservations(ctx).where('id', '=', id).executeTakeFirst()
  if (!row) throw notFound(`No reservation ${id} here`)
  return row
}

/** Lists the participants' reservations in these statuses, oldest first. */
export const listReservations = (
  ctx: HousingQueryContext,
  participantIds: readonly string[],
  statuses: readonly ReservationRow['status'][],
): Promise<ReservationRow[]> =>
  reservations(ctx)
    // A single id is compared directly: with an array, PostgreSQL would plan the statement again for every call.
    .where('participant_id', '=', participantIds.length === 1 ? participantIds[0]! : sql<string>`any(${participantIds})`)
    .where('status', 'in', statuses)
    .orderBy('created_at')
    .orderBy('id')
    .execute()

/**
 * Updates a reservation if its revision is unchanged; otherwise throws SerializationConflict so that the caller retries the whole change.
 */
export async function updateReservation(
  ctx: HousingContext,
  before: ReservationRow,
  columns: Updateable<Tables['reservations']>,
): Promise<ReservationRow> {
  for (const states of [RESERVATION_STATES, GUARANTEE_STATES]) checkStateChange(states, before, columns)
  const row = await eventDb(ctx)
    .updateTable('reservations')
    .set(columns)
    .where('id', '=', before.id)
    .where('revision', '=', before.revision)
    .returningAll()
    .executeTakeFirst()
  if (!row) throw new SerializationConflict('the reservation was changed concurrently')
  announceReservationChange(ctx, before, row)
  return row
}

/** Announces a confirmed or cancelled reservation to integrations. Held rooms are not announced. */
export function announceReservationChange(
  ctx: HousingContext,
  before: ReservationRow | null,
  { id, is_test_data: isTestData, ...after }: ReservationRow,
): void {
  const of = { entity: 'reservation', id, isTestData }
  if (after.status === 'confirmed' && before?.status !== 'confirmed')
    announceToWebhooks(ctx, { ...of, kind: 'reservation.confirmed', changed: ['status'] })
  else if (after.status === 'cancelled' && before?.status === 'confirmed')
    announceToWebhooks(ctx, { ...of, kind: 'reservation.cancelled', changed: ['status'] })
  else if (before && after.status === 'confirmed')
    announceToWebhooks(ctx, {
      ...of,
      kind: 'reservation.changed',
      changed: [...listChangedFields(before, after), ...(before.hotel_id === after.hotel_id ? [] : ['hotelName'])],
    })
}

export async function listReservedNights(ctx: HousingQueryContext, reservationId: string) {
  return eventDb(ctx).selectFrom('reservation_nights').selectAll().where('reservation_id', '=', reservationId).orderBy('night').execute()
}

/** Lists the nights of several reservations in order. */
export const listNightsOfReservations = (ctx: HousingQueryContext, reservationIds: readonly string[]) =>
  eventDb(ctx)
    .selectFrom('reservation_nights')
    .selectAll()
    .where('reservation_id', '=', sql<string>`any(${reservationIds})`)
    .orderBy('night')
    .execute()

/**
 * Assigns acknowledgement numbers to confirmed stays. Numbers are taken last in a transaction, because their counter is a contended row.
 */
export async function assignAcknowledgementNumbers(ctx: HousingContext, ids: readonly string[], isTest: boolean): Promise<void> {
  if (ids.length === 0) return
  const open = await reservations(ctx)
    .where('id', '=', sql<string>`any(${ids})`)
    .where('ack_number', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  const numbers = await takeNextRecordNumbers(ctx, 'H', isTest ? 'test' : 'real', open.length)
  for (const [index, row] of open.entries()) await updateReservation(ctx, row, { ack_number: numbers[index]!() })
}

/** A stay as shown to its participant. */
export interface Stay {
  participantId: string
  reservationId: string
  hotel: string
  roomType: string
  checkIn: string
  checkOut: string
  status: ReservationRow['status']
  ackNumber: string | null
  /** How many times organizers have moved the stay to another hotel, room type or room block. */
  moves: number
}

/** Lists the participants' current and past stays by check-in date, without expired holds. */
export async function listStays({ db, tenantId, event }: HousingQueryContext, participantIds: readonly string[]): Promise<Stay[]> {
  if (participantIds.length === 0) return []
  const { rows } = await sql<Stay>`
    select s.participant_id as "participantId", s.id as "reservationId", h.name as hotel, t.name as "roomType", s.check_in as "checkIn",
      s.check_out as "checkOut", s.status, s.ack_number as "ackNumber", s.moves
    from reservations s
    join event_hotels h on h.tenant_id = s.tenant_id and h.event_id = s.event_id and h.id = s.hotel_id
    join room_types t on t.tenant_id = s.tenant_id and t.event_id = s.event_id and t.hotel_id = s.hotel_id and t.code = s.room_type_code
    where s.tenant_id = ${tenantId} and s.event_id = ${event.id} and s.participant_id = any(${participantIds}) and s.status <> 'expired'
    order by s.check_in, s.created_at, s.id`.execute(db)
  return rows
}
