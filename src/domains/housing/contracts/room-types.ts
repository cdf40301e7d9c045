import { recordChange } from '../../../kernel/audit.ts'
import type { HousingContext } from '../context.ts'
import type { EventHotel } from '../find-hotel.ts'
import type { RoomTypeRow } from '../tables.ts'
import type { RoomTypeInput } from './amend-arguments.ts'

/** Adds room types to a hotel, and replaces the name and size of those that it has already. */
export async function saveRoomTypes(
  ctx: HousingContext,
  { hotel, types }: EventHotel,
  given: readonly RoomTypeInput[],
): Promise<RoomTypeRow[]> {
  const saved = new Map(types.map((type) => [type.code, type]))
  for (const type of given) {
    const columns = {
      name: type.name,
      beds: [...(type.beds ?? [])],
      max_occupancy: type.maxOccupancy,
      accessible: type.accessible ?? false,
      smoking: type.smoking ?? false,
    }
    const row = await ctx.db
      .insertInto('room_types')
      .values({ tenant_id: ctx.tenantId, event_id: ctx.event.id, hotel_id: hotel.id, code: type.code, ...columns })
      .onConflict((clash) => clash.columns(['tenant_id', 'event_id', 'hotel_id', 'code']).doUpdateSet({ ...columns, retired: false }))
      .returningAll()
      .executeTakeFirstOrThrow()
    saved.set(row.code, row)
  }
  if (given.length > 0)
    recordChange(ctx, {
      kind: 'hotel',
      id: hotel.id,
      before: { roomTypes: [...types] },
      after: { roomTypes: [...saved.values()] },
    })
  return [...saved.values()].toSorted((a, b) => a.code.localeCompare(b.code))
}
