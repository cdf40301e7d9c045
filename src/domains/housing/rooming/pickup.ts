import { sql } from 'kysely'
import { recordChange } from '../../../kernel/audit.ts'
import { preconditionFailed } from '../../../kernel/errors.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { amendHousingContract } from '../contracts/amend.ts'
import { readTodayAtEvent, type HousingContext } from '../context.ts'
import { listRoomNightCountsBySource, sumRoomNightCounts } from '../summary/figures.ts'
import type { HotelRow } from '../tables.ts'
import type { ReportedPickupNight } from './tables.ts'

export interface HotelPickupReport {
  nights: { night: string; contracted: number; ours: number; occupied: number; resold: number }[]
  reason: string
  lastNight: string | null
  /** Whether the last night is over, so that the hotel can report how many rooms were occupied. */
  isDue: boolean
  finalAt: Date | null
}

/** Reads the numbers of occupied and resold rooms that the hotel reported or saved as a draft, next to our own count for each night. */
export async function readHotelPickupReport(ctx: HousingContext, hotelId: string): Promise<HotelPickupReport> {
  const figures = [...Map.groupBy(await listRoomNightCountsBySource(ctx, hotelId), ({ night }) => night)].map(([night, of]) => ({
    night,
    ...sumRoomNightCounts(of),
  }))
  const report = await eventDb(ctx).selectFrom('hotel_pickup_reports').selectAll().where('hotel_id', '=', hotelId).executeTakeFirst()
  const saved = new Map(report?.nights.map((one) => [one.night, one]))
  const nights = figures
    .toSorted((a, b) => a.night.localeCompare(b.night))
    .map(({ night, contracted, pickup }) => ({
      night,
      contracted,
      ours: pickup,
      occupied: saved.get(night)?.occupied ?? pickup,
      resold: saved.get(night)?.resold ?? 0,
    }))
  const lastNight = nights.findLast(({ contracted }) => contracted > 0)?.night ?? null
  const today = await readTodayAtEvent(ctx)
  return {
    nights,
    reason: report?.reason ?? '',
    lastNight,
    isDue: lastNight !== null && today > lastNight,
    finalAt: report?.final_at ?? null,
  }
}

/** Reads the number of room nights that were returned to the hotel, and the first day on which it can report the occupied rooms. */
export async function readReturnedRoomNights(
  ctx: HousingContext,
  hotelId: string,
): Promise<{ returned: number; pickupFrom: string | null }> {
  const { rows } = await sql<{ returned: number; pickupFrom: string | null }>`
    select coalesce(sum(returned), 0)::int as returned, (max(night) filter (where contracted > 0) + 1)::text as "pickupFrom" from room_nights
    where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and hotel_id = ${hotelId}`.execute(ctx.db)
  return rows[0]!
}

/**
 * Saves the occupied and resold rooms that the hotel counted for each night: as a draft, or as the final pickup, from which attrition is
 * settled.
 */
export async function saveHotelPickupReport(
  ctx: HousingContext,
  hotel: HotelRow,
  { nights, reason, isFinal }: { nights: readonly ReportedPickupNight[]; reason: string; isFinal: boolean },
): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    insert into hotel_pickup_reports as p (tenant_id, event_id, hotel_id, nights, reason, final_at)
    values (${ctx.tenantId}, ${ctx.event.id}, ${hotel.id}, ${JSON.stringify(nights)}::jsonb, ${reason || null},
      case when ${isFinal} then lanyard_now() end)
    on conflict (tenant_id, event_id, hotel_id) do update set nights = excluded.nights, reason = excluded.reason, saved_at = lanyard_now(),
      final_at = excluded.final_at where p.final_at is null
    returning p.hotel_id as id`.execute(ctx.db)
  if (rows.length === 0) throw preconditionFailed('The final pickup was already sent. Ask the organizer to correct it')
  recordChange(ctx, { kind: 'hotel', id: hotel.id, after: { pickup: isFinal ? 'final' : 'draft', nights: nights.length } })
  if (!isFinal) return
  await amendHousingContract(ctx, {
    hotelId: hotel.id,
    kind: 'finalPickup',
    finalPickup: nights.map(({ night, occupied, resold }) => ({ night, pickup: occupied, resold, auditCredit: 0 })),
    attritionBase: 'follow',
    reason: reason || `Final pickup reported by ${ctx.actor.name}`,
  })
}
