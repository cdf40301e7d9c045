import { sql } from 'kysely'
import type { ExhibitorContext } from '../exhibitors/context.ts'
import { type AllocationPlan, type GrantedRooms, type RoomsPerNight, planAllocation } from './plan-allocation.ts'
import { listBlockNights, readBlockRequestSettings, listShortfallNights } from './requests.ts'
import { readRoomSupply } from './supply.ts'
import type { BlockRequestRow } from './tables.ts'

/**
 * Locks the contracts and room nights that an allocation plan may use, in the same order as all room changes, so that the rooms of the plan
 * stay free.
 */
export async function lockRoomSupply(
  { db, tenantId, event }: ExhibitorContext,
  nights: readonly string[],
  hotelIds?: readonly string[],
): Promise<void> {
  const these = hotelIds === undefined ? sql`` : sql`and hotel_id = any(${hotelIds})`
  await sql`select from housing_contracts where tenant_id = ${tenantId} and event_id = ${event.id} ${these} order by hotel_id for share`.execute(
    db,
  )
  await sql`select from room_nights where tenant_id = ${tenantId} and event_id = ${event.id} and night = any(${nights}::date[]) ${these}
    order by hotel_id, room_type_code, night for no key update`.execute(db)
}

/** Locks the nights of a block, so that none of its rooms is booked before the change is committed. */
export async function lockBlockNights({ db, tenantId, event }: ExhibitorContext, blockId: string): Promise<void> {
  const own = sql`select n.hotel_id, n.room_type_code, n.night from block_nights n
    where n.tenant_id = ${tenantId} and n.event_id = ${event.id} and n.block_id = ${blockId}`
  await sql`select from housing_contracts where tenant_id = ${tenantId} and event_id = ${event.id}
    and hotel_id in (select o.hotel_id from (${own}) o) order by hotel_id for share`.execute(db)
  await sql`select from room_nights where tenant_id = ${tenantId} and event_id = ${event.id} and (hotel_id, room_type_code, night) in (${own})
    order by hotel_id, room_type_code, night for no key update`.execute(db)
  await sql`select from block_nights where tenant_id = ${tenantId} and event_id = ${event.id} and block_id = ${blockId}
    order by hotel_id, room_type_code, night for no key update`.execute(db)
}

interface PlanOptions {
  hotelIds?: readonly string[] | undefined
  /** Whether to ignore the policy limits per hotel. */
  overridePolicy?: boolean
  /** The number of rooms to add per night; by default the rooms that the request still lacks. */
  profile?: readonly RoomsPerNight[]
}

/**
 * Plans the rooms that a request lacks, from the rooms that are free now, with the allocation algorithm (section 6.3 of the specification).
 * Saves nothing.
 */
export async function planRoomsMissingFromRequest(
  ctx: ExhibitorContext,
  row: BlockRequestRow,
  options: PlanOptions = {},
): Promise<AllocationPlan> {
  const granted: GrantedRooms[] = await listBlockNights(ctx, row)
  const profile = options.profile ?? listShortfallNights(row.profile, granted)
  if (profile.length === 0) return { grants: [], shortfall: [] }
  const { config, rules, today } = await readBlockRequestSettings(ctx)
  const hotels = await readRoomSupply(ctx, {
    nights: profile.map(({ night }) => night),
    venue: config.details.venue,
    limits: options.overridePolicy === true ? null : rules,
    granted,
    hotelIds: options.hotelIds,
    today,
  })
  return planAllocation({
    profile,
    roomTypes: row.room_types,
    preferences: row.hotel_preferences,
    keepTogether: row.keep_together,
    hotels,
  })
}

export interface AllocationLine {
  hotelId: string
  roomTypeCode: string
  nights: string[]
  rooms: number
}

/** Groups granted rooms into lines: consecutive nights of a hotel and room type with the same number of rooms. */
export function toAllocationLines(grants: readonly GrantedRooms[]): AllocationLine[] {
  const groups = Map.groupBy(grants, ({ hotelId, roomTypeCode, rooms }) => `${hotelId}/${roomTypeCode}/${rooms}`)
  return [...groups.values()].map((of) => ({
    hotelId: of[0]!.hotelId,
    roomTypeCode: of[0]!.roomTypeCode,
    nights: of.map(({ night }) => night).toSorted(),
    rooms: of[0]!.rooms,
  }))
}
