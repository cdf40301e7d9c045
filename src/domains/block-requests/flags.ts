import { sql } from 'kysely'
import { toDayInZone } from '../../kernel/time.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import { readBoothAreaByCompany } from '../exhibitors/company-facts.ts'
import type { ExhibitorQueryContext, ExhibitorContext } from '../exhibitors/context.ts'
import type { GrantedRooms } from './plan-allocation.ts'
import { getPeakRooms, readBlockRequestSettings, sumRoomsByNight } from './requests.ts'
import { getRequestRoomLimit, type RequestRoomLimits } from './supply.ts'
import type { BlockRequestRow } from './tables.ts'

export const POLICY_VIOLATION_CODES = ['overHotelCap', 'overBoothRatio', 'growth', 'late'] as const
export type PolicyViolationCode = (typeof POLICY_VIOLATION_CODES)[number]

type Rules = EventConfig['housing']['requests']
type Flagged = Pick<BlockRequestRow, 'id' | 'company_id' | 'profile' | 'submitted_at'>

/**
 * Returns a function that lists the policies that a block request violates, with its granted rooms or with rooms that a call would grant.
 */
export async function createPolicyViolationLister(
  ctx: ExhibitorContext,
  rules: Rules,
  requests: readonly Flagged[],
): Promise<(request: Flagged, rooms: readonly GrantedRooms[]) => PolicyViolationCode[]> {
  if (rules === null) return () => []
  const companyIds = [...new Set(requests.flatMap(({ company_id }) => company_id ?? []))]
  const areas = rules.roomsPer10Sqm === null ? null : await readBoothAreaByCompany(ctx, companyIds)
  const peaks = rules.growthPercent === null ? null : await readLastPeaks(ctx, companyIds)
  const contracted = hasHotelCap(rules) ? await readContractedNights(ctx) : new Map<string, number>()
  return ({ company_id, profile, submitted_at }, rooms) => {
    const peak = getPeakRooms(profile)
    const area = company_id === null ? undefined : (areas?.get(company_id) ?? 0)
    const before = company_id === null ? undefined : peaks?.get(company_id)
    const exceeds: Record<PolicyViolationCode, boolean> = {
      overHotelCap: isOverHotelCap(rules, rooms, contracted),
      overBoothRatio: areas !== null && area !== undefined && peak > boothAllowance(rules, area),
      growth: before !== undefined && isPeakRoomGrowthAboveLimit(peak, before, rules.growthPercent ?? 0),
      late: rules.deadlineOn !== null && submitted_at !== null && toDayInZone(ctx.event.timezone, submitted_at) > rules.deadlineOn,
    }
    return POLICY_VIOLATION_CODES.filter((flag) => exceeds[flag])
  }
}

/**
 * Whether the peak (the most rooms on one night) exceeds the earlier peak by more than the allowed growth. Compares whole numbers, because
 * 1.16 times 25 is less than 29 in floating point.
 */
export const isPeakRoomGrowthAboveLimit = (peak: number, before: number, growthPercent: number): boolean =>
  100 * peak > before * (100 + growthPercent)

/** Returns the usual number of rooms for a booth of this area, in square metres. */
const boothAllowance = ({ roomsPer10Sqm }: Pick<NonNullable<Rules>, 'roomsPer10Sqm'>, area: number): number =>
  roomsPer10Sqm === null ? Infinity : Math.max(0, Math.ceil((roomsPer10Sqm * area) / 10 - 1e-9))

/** Reads the usual number of rooms per night for a company's booth; infinite for groups, or if the event defines none. */
export async function readUsualRoomsPerNight(ctx: ExhibitorContext, companyId: string | null): Promise<number> {
  const { rules } = await readBlockRequestSettings(ctx)
  if (rules === null || companyId === null) return Infinity
  return boothAllowance(rules, (await readBoothAreaByCompany(ctx, [companyId])).get(companyId) ?? 0)
}

const hasHotelCap = ({ maxRoomsPerHotel, maxPercentPerHotel }: RequestRoomLimits): boolean =>
  maxRoomsPerHotel !== null || maxPercentPerHotel !== null

function isOverHotelCap(rules: NonNullable<Rules>, rooms: readonly GrantedRooms[], contracted: ReadonlyMap<string, number>): boolean {
  if (!hasHotelCap(rules)) return false
  return [...Map.groupBy(rooms, ({ hotelId }) => hotelId)].some(([hotelId, of]) =>
    [...sumRoomsByNight(of)].some(([night, many]) => many > getRequestRoomLimit(rules, contracted.get(`${hotelId}/${night}`) ?? 0)),
  )
}

async function readContractedNights({ db, tenantId, event }: ExhibitorQueryContext): Promise<Map<string, number>> {
  const { rows } = await sql<{ key: string; contracted: number }>`
    select hotel_id || '/' || night as key, sum(contracted)::int as contracted from room_nights
    where tenant_id = ${tenantId} and event_id = ${event.id} group by hotel_id, night`.execute(db)
  return new Map(rows.map(({ key, contracted }) => [key, contracted]))
}

/**
 * Reads the highest number of rooms that each company had on one night of the client's last event at which it exhibited, in its room blocks
 * and in reservations of its people. Companies without rooms there are left out, because their growth cannot be calculated.
 */
async function readLastPeaks(ctx: ExhibitorContext, companyIds: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ companyId: string; peak: number }>`
    with last as (
      select distinct on (c.id) c.id as company_id, p.event_id, p.id as previous_id
      from companies c
      join events now on now.tenant_id = c.tenant_id and now.id = c.event_id
      join companies p on p.tenant_id = c.tenant_id and p.organization_id = c.organization_id and p.status <> 'cancelled'
      join events e on e.tenant_id = p.tenant_id and e.id = p.event_id and e.client_id = now.client_id and e.starts_on < now.starts_on
      where c.tenant_id = ${ctx.tenantId} and c.event_id = ${ctx.event.id} and c.id = any(${companyIds})
      order by c.id, e.starts_on desc, e.id)
    select company_id as "companyId", max(many)::int as peak from (
      select l.company_id, n.night, count(*) as many
      from last l
      join reservation_nights n on n.tenant_id = ${ctx.tenantId} and n.event_id = l.event_id and n.status <> 'held' and not n.is_test_data
      join participants p on p.tenant_id = n.tenant_id and p.event_id = n.event_id and p.id = n.participant_id
      left join room_blocks b on b.tenant_id = n.tenant_id and b.event_id = n.event_id and b.id = n.block_id and b.owner_kind = 'company'
      where coalesce(b.owner_ref, p.company_id) = l.previous_id
      group by l.company_id, n.night) nights
    group by company_id`.execute(ctx.db)
  return new Map(rows.map(({ companyId, peak }) => [companyId, peak]))
}
