import { markAsRecordId, text } from '../../kernel/args.ts'
import { notFound } from '../../kernel/errors.ts'
import { listMostSimilarNames } from '../../kernel/nearest.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { HousingQueryContext } from './context.ts'
import type { HousingContractRow, HotelRow, RoomTypeRow } from './tables.ts'

/** An argument that names a hotel of the event by id or code. */
export const hotelReferenceSchema = () => markAsRecordId(text(63), 'hotel')

/** A hotel of the event with its room types and contract. */
export interface EventHotel {
  hotel: HotelRow
  types: RoomTypeRow[]
  contract: HousingContractRow | null
}

/** Finds hotels by id or code, each with one query. Throws for the first unknown name. */
export async function findHotels(ctx: HousingQueryContext, names: readonly string[]): Promise<Map<string, EventHotel>> {
  const all = await eventDb(ctx).selectFrom('event_hotels').selectAll().where('retired', '=', false).orderBy('code').execute()
  const found = new Map<string, HotelRow>()
  for (const name of new Set(names)) {
    const hotel = all.find(({ id, code }) => id === name.toLowerCase() || code === name.toLowerCase())
    if (!hotel) throw unknownHotel(name, all)
    found.set(name, hotel)
  }
  const ids = [...found.values()].map(({ id }) => id)
  if (ids.length === 0) return new Map()
  const types = await eventDb(ctx).selectFrom('room_types').selectAll().where('hotel_id', 'in', ids).orderBy('code').execute()
  const contracts = await eventDb(ctx).selectFrom('housing_contracts').selectAll().where('hotel_id', 'in', ids).execute()
  return new Map(
    [...found].map(([name, hotel]) => [
      name,
      {
        hotel,
        types: types.filter(({ hotel_id }) => hotel_id === hotel.id),
        contract: contracts.find(({ hotel_id }) => hotel_id === hotel.id) ?? null,
      },
    ]),
  )
}

export const findHotel = async (ctx: HousingQueryContext, name: string): Promise<EventHotel> => (await findHotels(ctx, [name])).get(name)!

function unknownHotel(name: string, all: readonly HotelRow[]) {
  const near = listMostSimilarNames(
    name.toLowerCase(),
    all.map(({ code }) => code),
    3,
  )
  const hint = near.length > 0 ? `Did you mean ${near.join(', ')}?` : 'List hotels with get_housing_summary'
  return notFound(`No hotel ${name} at this event. ${hint}`)
}

export function getRoomType({ hotel, types }: EventHotel, code: string): RoomTypeRow {
  const type = types.find((one) => one.code === code.toLowerCase())
  if (!type) throw notFound(`${hotel.name} has no room type ${code}. It has ${types.map((one) => one.code).join(', ') || 'none yet'}`)
  return type
}
