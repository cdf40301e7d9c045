import { sql } from 'kysely'
import { recordChange } from '../../../kernel/audit.ts'
import { sendEventEmail } from '../../messages/event-mail/send.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import type { HousingContext } from '../context.ts'
import { toStayPriceColumns, updateNightlyRates } from '../change-stay.ts'
import { toStayMergeFields } from '../emails.ts'
import { listReservedNights, listStays, updateReservation } from '../reservations.ts'
import { getRateForOccupants } from '../stay.ts'
import type { HotelRow, ReservationRow } from '../tables.ts'
import type { PlannedRoomNightChange } from './amend-nights.ts'

/**
 * Lowers the rates of guests who have booked or hold these nights. Their rates are never raised, and nights of a block with its own rate
 * keep it. Returns the changed confirmed reservations.
 */
export async function lowerBookedRates(
  ctx: HousingContext,
  hotel: HotelRow,
  planned: readonly PlannedRoomNightChange[],
): Promise<ReservationRow[]> {
  const cheaper = new Map(planned.filter(hasLowerRate).map((night) => [`${night.roomTypeCode} ${night.night}`, night.after]))
  if (cheaper.size === 0) return []
  const changed: ReservationRow[] = []
  for (const room of await listBooked(ctx, hotel.id, planned.filter(hasLowerRate))) {
    const nights = await listReservedNights(ctx, room.id)
    const own = await listBlockRates(ctx, room.id)
    const lowered = nights.map(({ night, rate }) => {
      const offer = own.has(night) ? undefined : cheaper.get(`${room.room_type_code} ${night}`)
      return { night, rate: offer ? Math.min(rate, getRateForOccupants(offer, room.occupants)) : rate }
    })
    if (lowered.every(({ rate }, index) => rate === nights[index]!.rate)) continue
    await updateNightlyRates(ctx, room.id, lowered)
    const row = await updateReservation(ctx, room, toStayPriceColumns({ hotel }, lowered))
    recordChange(ctx, {
      kind: 'reservation',
      id: row.id,
      before: { stayTotal: room.stay_total },
      after: { stayTotal: row.stay_total },
    })
    if (row.status === 'confirmed') changed.push(row)
  }
  return changed
}

const TIERS = ['rate_single', 'rate_double', 'rate_triple', 'rate_quad'] as const

const hasLowerRate = ({ before, after }: PlannedRoomNightChange) =>
  before !== null && TIERS.some((tier) => (after[tier] ?? Infinity) < (before[tier] ?? Infinity))

const listBooked = (ctx: HousingContext, hotelId: string, nights: readonly PlannedRoomNightChange[]): Promise<ReservationRow[]> =>
  eventDb(ctx)
    .selectFrom('reservations')
    .selectAll()
    .where('status', 'in', ['held', 'confirmed'])
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('reservation_nights as n')
        .select('n.reservation_id')
        .where('n.tenant_id', '=', ctx.tenantId)
        .where('n.event_id', '=', ctx.event.id)
        .where('n.hotel_id', '=', hotelId)
        .where(
          sql<boolean>`(n.room_type_code, n.night) in (select w.code, w.night from jsonb_to_recordset(${JSON.stringify(
            nights.map(({ roomTypeCode, night }) => ({ code: roomTypeCode, night })),
          )}::jsonb) as w(code text, night date))`,
        ),
    )
    .orderBy('id')
    .modifyEnd(sql`for no key update`)
    .execute()

async function listBlockRates(ctx: HousingContext, reservationId: string): Promise<Set<string>> {
  const { rows } = await sql<{ night: string }>`
    select n.night from reservation_nights n
    join block_nights b on b.tenant_id = n.tenant_id and b.event_id = n.event_id and b.block_id = n.block_id and b.hotel_id = n.hotel_id
      and b.room_type_code = n.room_type_code and b.night = n.night and b.rate is not null
    where n.tenant_id = ${ctx.tenantId} and n.event_id = ${ctx.event.id} and n.reservation_id = ${reservationId}`.execute(ctx.db)
  return new Set(rows.map(({ night }) => night))
}

/**
 * Emails guests that their stay costs less now. Guests get no email if neither they nor their host has an address. Returns the number of
 * emails.
 */
export async function notifyOfLowerRates(ctx: HousingContext, changed: readonly ReservationRow[]): Promise<number> {
  let sent = 0
  for (const room of changed) {
    const guest = await findParticipant(ctx, room.participant_id)
    const address = guest?.email ?? (guest?.host_id ? (await findParticipant(ctx, guest.host_id))?.email : null)
    const stay = (await listStays(ctx, [room.participant_id])).find(({ reservationId }) => reservationId === room.id)
    if (!guest || !address || !stay) continue
    const email = await sendEventEmail(ctx, {
      participant: guest,
      to: { email: address, name: [guest.first_name, guest.last_name].filter(Boolean).join(' ') || null },
      trigger: 'housing.changed',
      values: toStayMergeFields(ctx, stay),
      isTestData: guest.is_test_data,
      sourceKind: 'reservation',
      sourceId: room.id,
      recipientKey: `housing.changed:${guest.id}:${room.revision}`,
    })
    if (email) sent++
  }
  return sent
}

const findParticipant = (ctx: HousingContext, participantId: string) =>
  eventDb(ctx).selectFrom('participants').selectAll().where('id', '=', participantId).executeTakeFirst()
