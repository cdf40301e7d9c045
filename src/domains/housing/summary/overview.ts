import { getDatabaseTime } from '../../../kernel/database-time.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { toDayInZone } from '../../../kernel/time.ts'
import type { HousingContext } from '../context.ts'
import { listAttritionNights, calculateContractSettlement } from '../contracts/read-attrition.ts'
import { type EventHotel, findHotels } from '../find-hotel.ts'
import { type HotelPciStatus, listHotelPciStatuses } from '../pci/status.ts'
import { listRoomNightCountsBySource, type RoomNightCountsOfSource, sumRoomNightCounts } from './figures.ts'
import { type DailyPickup, readPickupPace } from './snapshots.ts'

/** A hotel with its room counts, PCI status, attrition and waiting list, for the housing page of organizers. */
export interface HotelOverview extends EventHotel {
  pools: RoomNightCountsOfSource[]
  pci: HotelPciStatus
  /** The attrition damages, in minor units, that the hotel may charge if nothing more is booked. */
  attrition: { shortRooms: number; amount: number }
  /** Number of participants on the waiting list for this hotel. */
  waiting: number
}

export interface HousingOverview {
  today: string
  hotels: HotelOverview[]
  pools: RoomNightCountsOfSource[]
  /** Number of participants on the waiting list who accept any hotel. */
  waiting: number
  /** Number of booked room nights at the end of each past day, and now. */
  pace: DailyPickup[]
}

/** Reads the hotels of the event by name, with their rooms, attestations, attrition and waiting lists. */
export async function readHousingOverview(ctx: HousingContext): Promise<HousingOverview> {
  const now = await getDatabaseTime(ctx)
  const all = await eventDb(ctx).selectFrom('event_hotels').select(['id']).where('retired', '=', false).orderBy('name').execute()
  const ids = all.map(({ id }) => id)
  const found = await findHotels(ctx, ids)
  const pools = await listRoomNightCountsBySource(ctx)
  const pci = await listHotelPciStatuses(ctx)
  const nights = await listAttritionNights(ctx, ids)
  const waiting = await countWaiting(ctx)
  const today = toDayInZone(ctx.event.timezone, now)
  return {
    today,
    pools,
    pace: await readPickupPace(ctx, { today, pickup: sumRoomNightCounts(pools).pickup }),
    waiting: [...waiting.values()].reduce((sum, people) => sum + people, 0),
    hotels: [...found.values()].map((one) => {
      const { attrition } = one.contract ? calculateContractSettlement(one.contract, nights.get(one.hotel.id) ?? []) : { attrition: null }
      return {
        ...one,
        pools: pools.filter(({ hotelId }) => hotelId === one.hotel.id),
        pci: pci.find(({ hotelId }) => hotelId === one.hotel.id)!,
        attrition: { shortRooms: attrition?.short ?? 0, amount: attrition?.damages ?? 0 },
        waiting: waiting.get(one.hotel.id) ?? 0,
      }
    }),
  }
}

/** Counts the participants on the waiting list by hotel. Participants who accept any hotel have the key null. */
async function countWaiting(ctx: HousingContext): Promise<Map<string | null, number>> {
  const rows = await eventDb(ctx)
    .selectFrom('hotel_waitlist_entries')
    .select(['hotel_id', (eb) => eb.fn.countAll<number>().as('people')])
    .where('status', '=', 'waiting')
    .where('is_test_data', '=', false)
    .groupBy('hotel_id')
    .execute()
  return new Map(rows.map(({ hotel_id, people }) => [hotel_id, Number(people)]))
}
