import { eventDb } from '../../../kernel/scoped-db.ts'
import { toDayInZone } from '../../../kernel/time.ts'
import { getDatabaseTime } from '../../../kernel/database-time.ts'
import type { HousingQueryContext, HousingContext } from '../context.ts'
import type { AddendumChanges, AddendumRow } from '../tables.ts'

export interface NewAddendum {
  kind?: AddendumRow['kind']
  /** Number of room nights that the addendum adds to the contract; negative if it removes some. */
  roomNights: number
  changes: AddendumChanges
  reason: string
  reviewOn?: string | undefined
  signedOn?: string | undefined
  fileId?: string | undefined
}

/**
 * Adds the next addendum to the contract of a hotel. Every change of contracted rooms needs one (rule H8 of the specification). The caller
 * has locked the contract, so that numbers have no gaps.
 */
export async function addAddendum(ctx: HousingContext, hotelId: string, addendum: NewAddendum): Promise<AddendumRow> {
  const { kind = 'addendum' } = addendum
  const last = await eventDb(ctx)
    .selectFrom('housing_addenda')
    .select((eb) => eb.fn.max<number | null>('number').as('number'))
    .where('hotel_id', '=', hotelId)
    .executeTakeFirst()
  return ctx.db
    .insertInto('housing_addenda')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      hotel_id: hotelId,
      number: kind === 'original' ? 0 : (last?.number ?? 0) + 1,
      kind,
      effective_on: toDayInZone(ctx.event.timezone, await getDatabaseTime(ctx)),
      room_nights: addendum.roomNights,
      changes: JSON.stringify(addendum.changes),
      reason: addendum.reason,
      review_on: addendum.reviewOn ?? null,
      signed_on: addendum.signedOn ?? null,
      file_id: addendum.fileId ?? null,
      created_by: ctx.actor.name,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Lists the addenda of a hotel's contract in order; 0 is the original. */
export const listAddenda = (ctx: HousingQueryContext, hotelId: string): Promise<AddendumRow[]> =>
  eventDb(ctx).selectFrom('housing_addenda').selectAll().where('hotel_id', '=', hotelId).orderBy('number').execute()
