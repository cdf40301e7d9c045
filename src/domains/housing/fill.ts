import { type Selectable, sql } from 'kysely'
import { announce } from '../../kernel/announce.ts'
import { recordChange } from '../../kernel/audit.ts'
import type { Tables } from '../../kernel/columns.ts'
import { MetAnother, preconditionFailed } from '../../kernel/errors.ts'
import { tryPart } from '../../kernel/savepoint.ts'
import { daysBetween, startOfDay } from '../../kernel/time.ts'
import type { NewLine } from '../orders/lines.ts'
import { ownBlocks } from './blocks.ts'
import { priceColumns, wishColumns } from './change.ts'
import { guaranteeFor, refuseUngated } from './guarantee.ts'
import { readOffers } from './offers.ts'
import { replaceStay } from './release.ts'
import { getReservation, updateReservation } from './reservations.ts'
import { belongingsOf, blocksOf, depositOf, insertReservation, type RoomGuest } from './reserve.ts'
import type { AtEvent, HousingScene, Where } from './scene.ts'
import { nightsOf } from './stay.ts'
import type { ReservationRow } from './tables.ts'
import { keepNights, takeNights } from './take.ts'
import type { StayWish } from './wish.ts'

export type HotelEntry = Selectable<Tables['hotel_waitlist_entries']>

const MOST_IN_LINE = 1000

/** Who waits for a room at a hotel, also as a second choice: who has priority first, then who came first. Test data has a line of its own. */
export async function lineFor({ db, tenantId, event }: Where, hotelId: string, isTest: boolean): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select w.id from hotel_waitlist_entries w
    where w.tenant_id = ${tenantId} and w.event_id = ${event.id} and w.status = 'waiting' and w.is_test_data = ${isTest}
      and (w.hotel_id is null or w.hotel_id = ${hotelId} or w.alternatives @> ${JSON.stringify([{ hotelId }])}::jsonb)
    order by w.priority desc, w.position limit ${MOST_IN_LINE}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Somebody in line whom nobody else sees to at this moment. */
export const takeFromLine = async ({ db, tenantId, event }: Where, entryId: string): Promise<HotelEntry | null> =>
  (await db
    .selectFrom('hotel_waitlist_entries')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .where('id', '=', entryId)
    .where('status', '=', 'waiting')
    .forNoKeyUpdate()
    .skipLocked()
    .executeTakeFirst()) ?? null

interface Giving {
  scene: HousingScene
  entry: HotelEntry
  guest: RoomGuest
  /** Where something came free, for those to whom any hotel is right. */
  hotelId: string
}

type Given = { held: ReservationRow; until: Date } | { filled: Filled }

/**
 * Gives somebody in line the first room of their choice that is free on all of their nights. Where nothing has to be left for it, it is
 * theirs; else it is held for them as long as offers are good. Null where nothing fits: then the next in line may pass them.
 */
export async function giveRoom(ctx: AtEvent, giving: Giving): Promise<Given | null> {
  const { scene, entry, guest } = giving
  const until = new Date(
    Math.min(scene.at.getTime() + scene.config.housing.offerHours * 3_600_000, startOfDay(scene.timezone, entry.check_in).getTime()),
  )
  if (until <= scene.at) return null
  const held = await holdFor(ctx, giving, until)
  if (!held) return null
  const guarantee = await guaranteeFor(ctx, {
    scene,
    participantId: guest.id,
    checkIn: entry.check_in,
    blocks: await blocksOf(ctx, held.id),
  })
  if (guarantee.guarantee_status !== 'pending') return { filled: await fillEntry(ctx, { scene, entry, held }) }
  await moveEntry(ctx, entry, { status: 'offered', offered_until: until })
  return { held, until }
}

async function holdFor(ctx: AtEvent, { scene, entry, guest, hotelId }: Giving, until: Date): Promise<ReservationRow | null> {
  const nights = nightsOf(entry.check_in, entry.check_out)
  const belongings = belongingsOf(guest)
  const blocks = await ownBlocks(ctx, scene, belongings, daysBetween(entry.check_in, entry.check_out))
  const choices = [{ hotelId: entry.hotel_id ?? hotelId, roomTypeCode: entry.room_type_code ?? undefined }, ...entry.alternatives]
  for (const choice of choices) {
    const [offer] = await readOffers(ctx, scene, { nights, occupants: entry.occupants, blocks, hotelId: choice.hotelId })
    const rooms = offer?.rooms.filter(({ free, type }) => free && (choice.roomTypeCode ?? type.code) === type.code) ?? []
    for (const { type } of rooms) {
      const wish: StayWish = {
        ...NO_WISHES,
        hotel: offer!.hotel,
        contract: offer!.contract,
        type,
        checkIn: entry.check_in,
        checkOut: entry.check_out,
        occupants: entry.occupants,
      }
      const tried = await tryPart(ctx, async () => {
        refuseUngated(scene, wish.hotel.name)
        const taken = await takeNights(ctx, { scene, belongings, wish, nights, holds: true })
        if ('full' in taken) throw taken.full
        const reservation = await insertReservation(
          ctx,
          { scene, guest, source: 'web' },
          { ...wishColumns(wish), ...priceColumns(wish, taken.nights), status: 'held', held_until: until, entry_id: entry.id },
        )
        // The room that it takes the place of is theirs until they say yes.
        const maxRooms = scene.config.housing.maxRoomsPerPerson + (entry.replaces_reservation_id === null ? 0 : 1)
        await keepNights(ctx, { reservation, status: 'held', nights: taken.nights, maxRooms })
        return reservation
      })
      if (!tried.refused) return tried.done
    }
  }
  return null
}

const NO_WISHES = {
  kind: 'stay',
  bedType: null,
  smoking: null,
  requests: null,
  loyaltyNumber: null,
  shareWith: null,
  waitlist: false,
} as const

export interface Filled {
  /** Confirmed, but without its number. */
  reservation: ReservationRow
  /** To be claimed with the number; a guest's own. */
  deposit: NewLine | null
}

/** What is held for somebody in line becomes theirs, and the room that it takes the place of is given up without a fee. */
export async function fillEntry(
  ctx: AtEvent,
  { scene, entry, held }: { scene: HousingScene; entry: HotelEntry; held: ReservationRow },
): Promise<Filled> {
  const { rows } = await sql<{ confirmed: boolean }>`
    select reservation_nights_confirm(${ctx.tenantId}, ${ctx.event.id}, ${held.id}) as confirmed`.execute(ctx.db)
  if (!rows[0]!.confirmed) throw offerIsOver()
  const blocks = await blocksOf(ctx, held.id)
  const guarantee = await guaranteeFor(ctx, { scene, participantId: held.participant_id, checkIn: held.check_in, blocks })
  const confirmed = await updateReservation(ctx, held, {
    ...guarantee,
    status: 'confirmed',
    held_until: null,
    charging: false,
    confirmed_at: scene.at,
  })
  await moveEntry(ctx, entry, { status: 'filled', offered_until: null, ended_at: scene.at })
  if (entry.replaces_reservation_id !== null) await replaceStay(ctx, scene, entry.replaces_reservation_id)
  const { id, is_test_data: isTestData } = entry
  announce(ctx, { kind: 'waitlist.promoted', entity: 'hotelWaitlistEntry', id, changed: ['status'], isTestData })
  const { hotel_id, check_in, check_out } = confirmed
  recordChange(ctx, {
    kind: 'reservation',
    id: held.id,
    after: { status: 'confirmed', hotelId: hotel_id, checkIn: check_in, checkOut: check_out },
  })
  const hotel = await ctx.db
    .selectFrom('event_hotels')
    .selectAll()
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', '=', hotel_id)
    .executeTakeFirstOrThrow()
  return {
    reservation: await getReservation(ctx, held.id),
    deposit: guarantee.guarantee_kind === 'deposit' ? await depositOf(ctx, scene, confirmed, hotel) : null,
  }
}

export const offerIsOver = () => preconditionFailed('This offer is not open any more: look at your room again')

/** Takes an entry from the state it was read in to the next; when another was quicker, the whole change is done again from what is now. */
export async function moveEntry(
  ctx: AtEvent,
  entry: HotelEntry,
  move: Partial<Pick<HotelEntry, 'offered_until' | 'ended_at' | 'reason'>> & Pick<HotelEntry, 'status'>,
): Promise<void> {
  const moved = await ctx.db
    .updateTable('hotel_waitlist_entries')
    .set(move)
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', '=', entry.id)
    .where('status', '=', entry.status)
    .returning('id')
    .executeTakeFirst()
  if (!moved) throw new MetAnother('the waitlist entry was changed meanwhile')
  recordChange(ctx, { kind: 'hotelWaitlistEntry', id: entry.id, before: { status: entry.status }, after: { status: move.status } })
}
