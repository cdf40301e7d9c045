import { eventDb } from '../../../kernel/scoped-db.ts'
import type { EventQueryScope } from '../context.ts'
import { findHotel } from '../find-hotel.ts'
import { findPeakNight, listPoolFigures, pickupPercent, type PoolFigures, sumFigures } from './figures.ts'

export const GROUPINGS = ['hotel', 'night', 'roomType', 'block'] as const

export interface SummaryRequest {
  groupBy: (typeof GROUPINGS)[number]
  hotelId?: string | undefined
}

/** Summarizes the rooms of an event. Every grouping has the same totals. */
export async function getHousingSummary(ctx: EventQueryScope, { groupBy, hotelId: named }: SummaryRequest) {
  const only = named === undefined ? undefined : (await findHotel(ctx, named)).hotel.id
  const pools = await listPoolFigures(ctx, only)
  const totals = sumFigures(pools)
  const hotels = await listHotelFigures(ctx, pools, only)
  return {
    totals: { ...totals, pickupPercent: pickupPercent(totals), peakNight: findPeakNight(pools) },
    hotels,
    rows: await groupPools(ctx, pools, groupBy),
  }
}

async function listHotelFigures(ctx: EventQueryScope, pools: readonly PoolFigures[], only: string | undefined) {
  const rows = await eventDb(ctx)
    .selectFrom('event_hotels as h')
    .leftJoin('housing_contracts as c', (join) =>
      join.onRef('c.tenant_id', '=', 'h.tenant_id').onRef('c.event_id', '=', 'h.event_id').onRef('c.hotel_id', '=', 'h.id'),
    )
    .select(['h.id', 'h.code', 'h.name', 'h.sell_status', 'c.status', 'c.cutoff_on'])
    .where('h.retired', '=', false)
    .$if(only !== undefined, (query) => query.where('h.id', '=', only!))
    .orderBy('h.name')
    .orderBy('h.id')
    .execute()
  const byHotel = Map.groupBy(pools, ({ hotelId }) => hotelId)
  return rows.map(({ id, code, name, sell_status, status, cutoff_on }) => {
    const figures = sumFigures(byHotel.get(id) ?? [])
    return {
      id,
      code,
      name,
      contractStatus: status ?? ('none' as const),
      cutoffOn: cutoff_on,
      sellStatus: sell_status,
      ...figures,
      pickupPercent: pickupPercent(figures),
    }
  })
}

const FREE_SELL = { key: 'free-sell', name: 'Free sale' }

/** The rows of a grouping, by name of the hotel or block, or by day. */
async function groupPools(ctx: EventQueryScope, pools: readonly PoolFigures[], groupBy: SummaryRequest['groupBy']) {
  const names = await listNames(ctx)
  const keyOf: Record<SummaryRequest['groupBy'], (row: PoolFigures) => { key: string; name: string }> = {
    hotel: ({ hotelId }) => ({ key: hotelId, name: names.get(hotelId) ?? hotelId }),
    night: ({ night }) => ({ key: night, name: night }),
    roomType: ({ hotelId, roomTypeCode }) => ({ key: `${hotelId}/${roomTypeCode}`, name: `${names.get(hotelId)}, ${roomTypeCode}` }),
    block: ({ blockId }) => (blockId === null ? FREE_SELL : { key: blockId, name: names.get(blockId) ?? blockId }),
  }
  const groups = Map.groupBy(pools, (row) => keyOf[groupBy](row).key)
  return [...groups.values()]
    .map((of) => {
      const figures = sumFigures(of)
      return { ...keyOf[groupBy](of[0]!), ...figures, pickupPercent: pickupPercent(figures) }
    })
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en') || a.key.localeCompare(b.key, 'en'))
}

async function listNames(ctx: EventQueryScope): Promise<Map<string, string>> {
  const hotels = await eventDb(ctx).selectFrom('event_hotels').select(['id', 'name']).execute()
  const blocks = await eventDb(ctx).selectFrom('room_blocks').select(['id', 'name']).execute()
  return new Map([...hotels, ...blocks].map(({ id, name }) => [id, name]))
}
