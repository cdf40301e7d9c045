import { recordChange } from '../../../kernel/audit.ts'
import { getDatabaseTime } from '../../../kernel/database-time.ts'
import { invalidArguments, preconditionFailed } from '../../../kernel/errors.ts'
import { toDayInZone } from '../../../kernel/time.ts'
import type { HousingContext } from '../context.ts'
import type { HotelRow, RoomNightRow } from '../tables.ts'

/**
 * The final counts that the hotel reported for one night: rooms booked, rooms it resold, and rooms that an audit of its guest list adds.
 */
export interface FinalPickupNight {
  night: string
  pickup: number
  resold?: number | undefined
  auditCredit?: number | undefined
}

/**
 * Stores the booked and resold rooms that the hotel reports after the last night. From then on they replace our counts in the contract's
 * settlement.
 */
export async function saveFinalPickup(
  ctx: HousingContext,
  hotel: HotelRow,
  nights: readonly RoomNightRow[],
  given: readonly FinalPickupNight[],
) {
  const contracted = new Set(nights.map(({ night }) => night))
  // The last night is the last one with contracted rooms, so that the final pickup can be recorded as early as possible.
  const last = nights
    .filter((one) => one.contracted > 0)
    .map(({ night }) => night)
    .toSorted()
    .at(-1)
  const today = toDayInZone(ctx.event.timezone, await getDatabaseTime(ctx))
  if (last === undefined || today <= last)
    throw preconditionFailed(`The final pickup of ${hotel.name} can be recorded after its last night${last ? `, ${last}` : ''}`)
  const wrong = given.filter(({ night }, index) => !contracted.has(night) || given.findIndex((one) => one.night === night) !== index)
  if (wrong.length > 0)
    throw invalidArguments(
      wrong.map(({ night }) => ({
        path: 'finalPickup',
        message: contracted.has(night) ? `${night} is given twice` : `${night} is no night of this contract`,
      })),
    )
  const rows = given.map(({ night, pickup, resold = 0, auditCredit = 0 }) => ({ night, pickup, resold, auditCredit }))
  await ctx.db
    .insertInto('housing_final_pickups')
    .values(
      rows.map(({ auditCredit, ...row }) => ({
        tenant_id: ctx.tenantId,
        event_id: ctx.event.id,
        hotel_id: hotel.id,
        ...row,
        audit_credit: auditCredit,
      })),
    )
    .onConflict((clash) =>
      clash.columns(['tenant_id', 'event_id', 'hotel_id', 'night']).doUpdateSet((eb) => ({
        pickup: eb.ref('excluded.pickup'),
        resold: eb.ref('excluded.resold'),
        audit_credit: eb.ref('excluded.audit_credit'),
      })),
    )
    .execute()
  recordChange(ctx, { kind: 'housingContract', id: hotel.id, after: { finalPickup: rows } })
  return rows
}
