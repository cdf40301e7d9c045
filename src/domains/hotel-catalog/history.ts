import { sql } from 'kysely'
import { z } from 'zod'
import { count, day, money, object, text, untrustedText } from '../../kernel/args.ts'
import { toMoney } from '../../kernel/money.ts'
import { computePickupPercent } from '../housing/summary/figures.ts'
import { buildPermittedEventSql } from '../tenancy/scope.ts'
import type { HotelSearchScope } from './local-hotels.ts'

/** Rooms and rates of a hotel at an event of the client. */
export const HotelHistoryShape = object({
  eventCode: text(),
  eventName: untrustedText(),
  startsOn: day(),
  endsOn: day(),
  contractStatus: text().nullable(),
  contracted: count(),
  pickup: count(),
  pickupPercent: z.number().nullable(),
  rate: money().nullable(),
})

interface HistoryRow {
  code: string
  name: string
  starts_on: string
  ends_on: string
  currency: string
  status: string | null
  contracted: number
  pickup: number
  rate: number | null
}

/** Lists the client's events with these hotels, latest first. The rate is the average single-occupancy rate per contracted room night. */
export async function listHotelHistory(ctx: HotelSearchScope, hotelIds: readonly string[]): Promise<z.input<typeof HotelHistoryShape>[]> {
  if (hotelIds.length === 0) return []
  const { rows } = await sql<HistoryRow>`
    select e.code, e.name, e.starts_on, e.ends_on, e.currency, c.status, coalesce(n.contracted, 0)::integer as contracted,
      coalesce(n.booked, 0)::integer + coalesce(b.booked, 0)::integer as pickup, n.rate::float8 as rate
    from event_hotels h join events e on e.tenant_id = h.tenant_id and e.id = h.event_id
      left join housing_contracts c on c.tenant_id = h.tenant_id and c.event_id = h.event_id and c.hotel_id = h.id
      left join lateral (
        select sum(contracted) as contracted, sum(booked) as booked,
          round(sum(rate_single * contracted)::numeric / nullif(sum(contracted), 0)) as rate
        from room_nights r where r.tenant_id = h.tenant_id and r.event_id = h.event_id and r.hotel_id = h.id) n on true
      left join lateral (
        select sum(booked) as booked from block_nights r
        where r.tenant_id = h.tenant_id and r.event_id = h.event_id and r.hotel_id = h.id) b on true
    where h.tenant_id = ${ctx.tenantId} and h.id = any(${hotelIds}) and ${buildPermittedEventSql(ctx, 'housing.read')}
    order by e.starts_on desc, e.code, h.id`.execute(ctx.db)
  return rows.map(({ code, name, starts_on, ends_on, currency, status, contracted, pickup, rate }) => ({
    eventCode: code,
    eventName: name,
    startsOn: starts_on,
    endsOn: ends_on,
    contractStatus: status,
    contracted,
    pickup,
    pickupPercent: computePickupPercent({ contracted, pickup }),
    rate: rate === null ? null : toMoney(rate, currency),
  }))
}
