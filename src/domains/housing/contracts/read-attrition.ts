import { sql } from 'kysely'
import type { HousingQueryContext } from '../context.ts'
import type { HousingContractRow } from '../tables.ts'
import { type Attrition, type AttritionNight, calculateAttrition, calculateRoomNightRebate, countComplimentaryRooms } from './attrition.ts'

export interface ContractSettlement {
  attrition: Attrition
  compsEarned: number
  /** Rebate that the hotel pays, in minor units. */
  rebate: number
}

/** Calculates attrition, complimentary rooms and rebate of a contract for these nights. A cancelled contract commits to no rooms. */
export const calculateContractSettlement = (contract: HousingContractRow, nights: readonly AttritionNight[]): ContractSettlement => ({
  attrition: calculateAttrition(contract.status === 'cancelled' ? { method: 'none' } : contract.attrition, nights),
  compsEarned: countComplimentaryRooms(contract, nights),
  rebate: calculateRoomNightRebate(contract, nights),
})

/**
 * Reads the nights of hotels for attrition. If a hotel reported its final pickup, this replaces our count of booked rooms. With `asOf`, the
 * booked rooms are those of a daily snapshot; contracted rooms and rates are always the current ones.
 */
export async function listAttritionNights(
  { db, tenantId, event }: HousingQueryContext,
  hotelIds: readonly string[],
  asOf?: string,
): Promise<Map<string, AttritionNight[]>> {
  const { rows } = await sql<AttritionNight & { hotelId: string }>`
    with booked as (
      select b.hotel_id, b.room_type_code, b.night, sum(b.booked)::int as rooms from block_nights b
      where b.tenant_id = ${tenantId} and b.event_id = ${event.id} and b.hotel_id = any(${hotelIds}) group by 1, 2, 3),
    past as (
      select s.hotel_id, s.night, sum(s.pickup)::int as rooms from pickup_snapshots s
      where s.tenant_id = ${tenantId} and s.event_id = ${event.id} and s.hotel_id = any(${hotelIds}) and s.day = ${asOf ?? null}::date
      group by 1, 2),
    nights as (
      select r.hotel_id, r.night, jsonb_agg(jsonb_build_object('rooms', r.base, 'rate', r.rate_single) order by r.room_type_code) as base,
        sum(r.booked + coalesce(b.rooms, 0))::int as pickup
      from room_nights r
      left join booked b on b.hotel_id = r.hotel_id and b.room_type_code = r.room_type_code and b.night = r.night
      where r.tenant_id = ${tenantId} and r.event_id = ${event.id} and r.hotel_id = any(${hotelIds}) group by 1, 2)
    select n.hotel_id as "hotelId", n.night, n.base, coalesce(f.resold, 0) as resold,
      case when ${asOf ?? null}::date is not null then coalesce(p.rooms, 0)
        else coalesce(f.pickup + f.audit_credit, n.pickup) end as pickup
    from nights n
    left join past p on p.hotel_id = n.hotel_id and p.night = n.night
    left join housing_final_pickups f on ${asOf ?? null}::date is null and f.tenant_id = ${tenantId} and f.event_id = ${event.id}
      and f.hotel_id = n.hotel_id and f.night = n.night
    order by n.hotel_id, n.night`.execute(db)
  return Map.groupBy(rows, ({ hotelId }) => hotelId)
}
