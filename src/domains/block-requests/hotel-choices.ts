import { sql } from 'kysely'
import type { ExhibitorContext } from '../exhibitors/context.ts'
import { computeRoundedDistanceKm } from '../housing/distance.ts'
import { readBlockRequestSettings } from './requests.ts'

/** A hotel that a requester can choose. Rates are the lowest per night, in minor units. */
export interface HotelChoice {
  id: string
  name: string
  distanceKm: number | null
  single: number | null
  double: number | null
}

/** The choices and dates on the page where a room request is written. */
export interface RequestFormChoices {
  /** The hotels, sorted by distance, then by name. */
  hotels: HotelChoice[]
  /** The room types of all listed hotels, without duplicates. */
  roomTypes: { code: string; name: string }[]
  /** The earliest deadline for guest names in the contracts of the listed hotels. */
  nameBy: string | null
  deadlineOn: string | null
  acceptDays: number
}

/**
 * Reads the hotels that a request can name (with a definite contract and before the cut-off), and the dates that requesters should know.
 */
export async function readRequestFormChoices(ctx: ExhibitorContext): Promise<RequestFormChoices> {
  const { config, rules, today, acceptDays } = await readBlockRequestSettings(ctx)
  const { tenantId, event, db } = ctx
  const { rows } = await sql<HotelChoice & { latitude: number | null; longitude: number | null; nameBy: string | null }>`
    select h.id, h.name, h.latitude, h.longitude, c.name_deadline_on as "nameBy", min(r.rate_single) as single, min(r.rate_double) as double
    from event_hotels h
    join housing_contracts c on c.tenant_id = h.tenant_id and c.event_id = h.event_id and c.hotel_id = h.id
      and c.status = 'definite' and (c.cutoff_on is null or c.cutoff_on >= ${today}::date)
    left join room_nights r on r.tenant_id = h.tenant_id and r.event_id = h.event_id and r.hotel_id = h.id
    where h.tenant_id = ${tenantId} and h.event_id = ${event.id} and not h.retired
    group by h.id, h.name, h.latitude, h.longitude, c.name_deadline_on
    order by h.name, h.id`.execute(db)
  const types = await sql<{ code: string; name: string }>`
    select t.code, min(t.name) as name from room_types t
    where t.tenant_id = ${tenantId} and t.event_id = ${event.id} and not t.retired and t.hotel_id = any(${rows.map(({ id }) => id)})
    group by t.code order by t.code`.execute(db)
  const hotels = rows.map(({ id, name, single, double, ...at }) => ({
    id,
    name,
    single,
    double,
    distanceKm: computeRoundedDistanceKm(at, config.details.venue),
  }))
  return {
    hotels: hotels.toSorted((a, b) => (a.distanceKm ?? Infinity) - (b.distanceKm ?? Infinity) || 0),
    roomTypes: types.rows,
    nameBy: rows.flatMap(({ nameBy }) => nameBy ?? []).toSorted()[0] ?? null,
    deadlineOn: rules?.deadlineOn ?? null,
    acceptDays,
  }
}
