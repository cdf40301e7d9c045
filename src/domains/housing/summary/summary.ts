import type { EventContext } from '../../../kernel/context.ts'
import { getDatabaseTime } from '../../../kernel/database-time.ts'
import { renderPictureForAssistant } from '../../drawing/picture.ts'
import { invalidArguments, preconditionFailed } from '../../../kernel/errors.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { toDayInZone } from '../../../kernel/time.ts'
import type { HousingQueryContext } from '../context.ts'
import { findHotel } from '../find-hotel.ts'
import {
  countWaitlistAndUnguaranteedRooms,
  listReservationDetails,
  listHotelWaitlistDetails,
  MAX_SUMMARY_DETAIL_ROWS,
  sumCountsByRoomNight,
} from './details.ts'
import {
  findPeakNight,
  listRoomNightCountsBySource,
  computePickupPercent,
  type RoomNightCountsOfSource,
  sumRoomNightCounts,
} from './figures.ts'
import { listHotelSummaryData, type HotelSummaryInputs, toHotelSummary } from './hotels.ts'
import { drawPickupTable } from './pickup-picture.ts'
import { findLatestSnapshotDay, listSnapshotRoomCounts, readPickupPace } from './snapshots.ts'
import { listHousingWarnings } from './warnings.ts'

export const HOUSING_SUMMARY_GROUPINGS = ['hotel', 'night', 'roomType', 'block'] as const
export const HOUSING_SUMMARY_PARTS = ['nights', 'waitlist', 'attrition', 'pace', 'pci', 'reservations'] as const
type SummaryPart = (typeof HOUSING_SUMMARY_PARTS)[number]

export interface HousingSummaryRequest {
  groupBy: (typeof HOUSING_SUMMARY_GROUPINGS)[number]
  hotelId?: string | undefined
  asOf?: string | undefined
  include?: readonly SummaryPart[] | undefined
}

/**
 * Summarizes the rooms of an event. Every grouping has the same totals. `asOf` shows the rooms at the end of that day; waiting lists and
 * missing guarantees are known only for the present.
 */
export async function getHousingSummary(ctx: EventContext, { groupBy, hotelId: named, asOf, include = [] }: HousingSummaryRequest) {
  const only = named === undefined ? undefined : (await findHotel(ctx, named)).hotel.id
  const today = toDayInZone(ctx.event.timezone, await getDatabaseTime(ctx))
  const day = asOf === undefined || asOf === today ? undefined : await getSnapshotDay(ctx, asOf, today)
  const pools = day === undefined ? await listRoomNightCountsBySource(ctx, only) : await listSnapshotRoomCounts(ctx, day, only)
  const people = day === undefined ? await countWaitlistAndUnguaranteedRooms(ctx, only) : []
  const hotels = await listHotelSummaryData(ctx, pools, { only, asOf: day })
  const totals = sumRoomNightCounts(pools)
  const countAll = (pick: 'waiting' | 'unguaranteed') => (day === undefined ? people.reduce((sum, { [pick]: n }) => sum + n, 0) : null)
  if (totals.contracted > 0) await addPicture(ctx, hotels, pools)
  return {
    totals: {
      ...totals,
      pickupPercent: computePickupPercent(totals),
      peakNight: findPeakNight(pools),
      waiting: countAll('waiting'),
      unguaranteed: countAll('unguaranteed'),
    },
    ...(day === undefined ? {} : { asOf: day }),
    hotels: hotels.map((one) =>
      toHotelSummary(ctx.event.currency, one, { attrition: include.includes('attrition'), pci: include.includes('pci') }),
    ),
    rows: await groupPools(ctx, pools, groupBy),
    pace: include.includes('pace') ? await readPickupPace(ctx, { day, today, only, pickup: totals.pickup }) : [],
    warnings: hotels.flatMap((one) => listHotelWarnings(one, today, people.find(({ hotelId }) => hotelId === one.hotel.id)?.waiting ?? 0)),
    ...(await readDetails(ctx, pools, { only, include })),
  }
}

/** Finds the day of the latest daily snapshot of room counts up to a day. Throws for future days and days before the first snapshot. */
async function getSnapshotDay(ctx: HousingQueryContext, asOf: string, today: string): Promise<string> {
  if (asOf > today) throw invalidArguments([{ path: 'asOf', message: `${asOf} is in the future; today is ${today}` }])
  const { day, first } = await findLatestSnapshotDay(ctx, asOf)
  if (day !== null) return day
  throw preconditionFailed(
    first === null
      ? 'There is no snapshot yet. The first is taken at the end of the day on which a definite contract has rooms'
      : `There is no snapshot of ${asOf}. The first is of ${first}`,
  )
}

const addPicture = async (
  ctx: EventContext,
  hotels: readonly HotelSummaryInputs[],
  pools: readonly RoomNightCountsOfSource[],
): Promise<void> =>
  void ctx.pictures.push(
    await renderPictureForAssistant((pixels) =>
      drawPickupTable(
        {
          title: `Pickup of ${ctx.event.name}`,
          hotels: hotels.filter(({ figures }) => figures.contracted > 0).map(({ hotel }) => hotel),
          pools,
        },
        pixels,
      ),
    ),
  )

const listHotelWarnings = ({ hotel, contract, figures, settlement, pci }: HotelSummaryInputs, today: string, waiting: number) =>
  settlement === null
    ? []
    : listHousingWarnings(
        { id: hotel.id, name: hotel.name, contractStatus: contract?.status ?? 'none', cutoffOn: contract?.cutoff_on ?? null, ...figures },
        { today, attrition: settlement.attrition, cardsWaiting: pci?.cardsWaiting ?? 0, waiting },
      )

interface DetailRequest {
  only: string | undefined
  include: readonly SummaryPart[]
}

/** Reads the detail lists that the caller requested. Long lists are cut, with a note. */
async function readDetails(ctx: EventContext, pools: readonly RoomNightCountsOfSource[], { only, include }: DetailRequest) {
  const query = { hotelId: only, showsNames: ctx.permissions.has('personal.read') }
  const waitlist = include.includes('waitlist') ? await listHotelWaitlistDetails(ctx, query) : undefined
  const reservations = include.includes('reservations') ? await listReservationDetails(ctx, query) : undefined
  const cut = Object.entries({ waitlist, reservations }).filter(([, rows]) => (rows?.length ?? 0) > MAX_SUMMARY_DETAIL_ROWS)
  return {
    ...(include.includes('nights') ? { nights: sumCountsByRoomNight(pools) } : {}),
    ...(waitlist ? { waitlist: waitlist.slice(0, MAX_SUMMARY_DETAIL_ROWS) } : {}),
    ...(reservations ? { reservations: reservations.slice(0, MAX_SUMMARY_DETAIL_ROWS) } : {}),
    ...(cut.length > 0
      ? {
          truncated: true as const,
          note: `Only the first ${MAX_SUMMARY_DETAIL_ROWS} of ${cut.map(([name]) => name).join(' and ')} are listed. Ask for one hotel with hotelId`,
        }
      : {}),
  }
}

const FREE_SELL = { key: 'free-sell', name: 'Free sale' }

/** Sums the room counts by hotel, block or day, sorted by name or day. */
async function groupPools(ctx: HousingQueryContext, pools: readonly RoomNightCountsOfSource[], groupBy: HousingSummaryRequest['groupBy']) {
  const names = await listNames(ctx)
  const keyOf: Record<HousingSummaryRequest['groupBy'], (row: RoomNightCountsOfSource) => { key: string; name: string }> = {
    hotel: ({ hotelId }) => ({ key: hotelId, name: names.get(hotelId) ?? hotelId }),
    night: ({ night }) => ({ key: night, name: night }),
    roomType: ({ hotelId, roomTypeCode }) => ({ key: `${hotelId}/${roomTypeCode}`, name: `${names.get(hotelId)}, ${roomTypeCode}` }),
    block: ({ blockId }) => (blockId === null ? FREE_SELL : { key: blockId, name: names.get(blockId) ?? blockId }),
  }
  const groups = Map.groupBy(pools, (row) => keyOf[groupBy](row).key)
  return [...groups.values()]
    .map((of) => {
      const figures = sumRoomNightCounts(of)
      return { ...keyOf[groupBy](of[0]!), ...figures, pickupPercent: computePickupPercent(figures) }
    })
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en') || a.key.localeCompare(b.key, 'en'))
}

async function listNames(ctx: HousingQueryContext): Promise<Map<string, string>> {
  const hotels = await eventDb(ctx).selectFrom('event_hotels').select(['id', 'name']).execute()
  const blocks = await eventDb(ctx).selectFrom('room_blocks').select(['id', 'name']).execute()
  return new Map([...hotels, ...blocks].map(({ id, name }) => [id, name]))
}
