import { sql } from 'kysely'
import { announceToWebhooks } from '../../../kernel/announce.ts'
import { recordChange } from '../../../kernel/audit.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { readTodayAtEvent, type HousingContext } from '../context.ts'
import { listRoomsOfRoomingList } from './rows.ts'
import { changeRecordState, changeStateOfRows } from '../../../kernel/states.ts'
import { RESERVATION_NIGHT_STATES, RESERVATION_STATES } from '../states.ts'

/** Pattern of a hotel's confirmation number: letters, digits and a few separators. */
const NUMBER = /^[\p{L}\p{N}][\p{L}\p{N} ./#-]{0,38}[\p{L}\p{N}]?$/u

export interface SavedConfirmationNumbers {
  saved: number
  /** One error for each confirmation number that was not saved; all others are saved. */
  errors: { reservationId: string; guest: string; number: string; reason: 'invalid' | 'taken' | 'changed' }[]
}

/**
 * Saves the hotel's confirmation numbers, each independently, so that an invalid number does not prevent saving the others. A number that
 * another person changed meanwhile stays, and is reported unless this form leaves it unchanged.
 */
export async function saveConfirmationNumbers(
  ctx: HousingContext,
  hotelId: string,
  given: readonly { reservationId: string; number: string; shown: string }[],
): Promise<SavedConfirmationNumbers> {
  const rooms = new Map((await listRoomsOfRoomingList(ctx, hotelId)).map((room) => [room.reservationId, room]))
  const errors: SavedConfirmationNumbers['errors'] = []
  let saved = 0
  for (const { reservationId, number: text, shown } of given) {
    const room = rooms.get(reservationId)
    const number = text.trim()
    if (!room || number === shown) continue
    const about = { reservationId, guest: room.guest, number }
    if (number !== '' && !NUMBER.test(number)) {
      errors.push({ ...about, reason: 'invalid' })
      continue
    }
    const taken = [...rooms.values()].some(
      (one) => one.reservationId !== reservationId && number !== '' && one.confirmationNumber === number,
    )
    if (taken) {
      errors.push({ ...about, reason: 'taken' })
      continue
    }
    const { numUpdatedRows } = await eventDb(ctx)
      .updateTable('reservations')
      .set({ hotel_confirmation_number: number === '' ? null : number })
      .where('id', '=', reservationId)
      .where(sql`coalesce(hotel_confirmation_number, '')`, '=', shown)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) {
      if (number !== (room.confirmationNumber ?? '')) errors.push({ ...about, reason: 'changed' })
      continue
    }
    room.confirmationNumber = number === '' ? null : number
    announceToWebhooks(ctx, {
      kind: 'reservation.changed',
      entity: 'reservation',
      id: reservationId,
      isTestData: false,
      changed: ['hotelConfirmationNumber'],
    })
    recordChange(ctx, {
      kind: 'reservation',
      id: reservationId,
      before: { hotelConfirmationNumber: shown },
      after: { hotelConfirmationNumber: number },
    })
    saved++
  }
  return { saved, errors }
}

/** Records guests who never arrived, at the earliest on the arrival day. Their rooms count as used, so no room counter changes. */
export async function reportNoShows(ctx: HousingContext, hotelId: string, reservationIds: readonly string[]): Promise<number> {
  const today = await readTodayAtEvent(ctx)
  const due = (await listRoomsOfRoomingList(ctx, hotelId)).filter(
    ({ reservationId, status, checkIn }) => reservationIds.includes(reservationId) && status === 'confirmed' && checkIn <= today,
  )
  for (const { reservationId } of due) {
    await changeStateOfRows(eventDb(ctx), RESERVATION_NIGHT_STATES, 'noShow').where('reservation_id', '=', reservationId).execute()
    await changeRecordState(ctx, RESERVATION_STATES, { id: reservationId, status: 'confirmed' }, 'noShow')
    announceToWebhooks(ctx, {
      kind: 'reservation.changed',
      entity: 'reservation',
      id: reservationId,
      isTestData: false,
      changed: ['status'],
    })
  }
  return due.length
}

/**
 * Reads the hotel's confirmation numbers of cancelled rooms. The last rooming list lacks those that the hotel entered after it was sent.
 */
export async function readCancelledConfirmationNumbers(
  ctx: HousingContext,
  hotelId: string,
  reservationIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await eventDb(ctx)
    .selectFrom('reservations')
    .select(['id', 'hotel_confirmation_number'])
    .where('hotel_id', '=', hotelId)
    .where('id', '=', sql<string>`any(${reservationIds})`)
    .execute()
  return new Map(rows.flatMap(({ id, hotel_confirmation_number: number }) => (number === null ? [] : [[id, number] as const])))
}
