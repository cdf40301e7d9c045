import { sql } from 'kysely'
import { eventDb } from '../../../kernel/scoped-db.ts'
import type { HousingContext } from '../context.ts'
import { canReceiveCards } from '../pci/card-access.ts'
import type { RoomingListRow } from './tables.ts'

/** A room of the rooming list with its status (confirmed, or a no-show) and revision. */
export interface RoomingListRoom extends RoomingListRow {
  status: 'confirmed' | 'noShow'
  revision: number
}

type StoredRoom = Omit<RoomingListRoom, 'guarantee' | 'sharers' | 'guest'> & {
  guests: { participantId: string; name: string }[]
  participantId: string
  guaranteeKind: string
  guaranteeStatus: string
}

/**
 * Lists the rooms booked at a hotel, by name of the guest. A saved card is mentioned only if the hotel may receive cards; otherwise the
 * guest presents a card at check-in. Test data is left out.
 */
export async function listRoomsOfRoomingList(ctx: HousingContext, hotelId: string): Promise<RoomingListRoom[]> {
  const { rows } = await sql<StoredRoom>`
    select s.id as "reservationId", s.ack_number as "ackNumber", s.participant_id as "participantId", s.guests, s.check_in as "checkIn",
      s.check_out as "checkOut", t.name as "roomType", s.bed_type as "bedType", s.smoking, s.occupants, s.requests,
      s.loyalty_number as "loyaltyNumber", s.status, s.hotel_confirmation_number as "confirmationNumber", s.revision,
      s.guarantee_kind as "guaranteeKind", s.guarantee_status as "guaranteeStatus"
    from reservations s
    join room_types t on t.tenant_id = s.tenant_id and t.event_id = s.event_id and t.hotel_id = s.hotel_id and t.code = s.room_type_code
    where s.tenant_id = ${ctx.tenantId} and s.event_id = ${ctx.event.id} and s.hotel_id = ${hotelId} and s.status in ('confirmed', 'noShow')
      and not s.is_test_data
    order by s.ack_number`.execute(ctx.db)
  const isOpen = await canReceiveCards(ctx, hotelId)
  return rows
    .map(({ guests, participantId, guaranteeKind, guaranteeStatus, ...room }) => ({
      ...room,
      guest: guests.find((guest) => guest.participantId === participantId)?.name ?? room.ackNumber,
      sharers: guests.filter((guest) => guest.participantId !== participantId).map(({ name }) => name),
      guarantee: describeGuarantee(guaranteeKind, guaranteeStatus, isOpen),
    }))
    .toSorted((a, b) => a.guest.localeCompare(b.guest, 'en') || a.ackNumber.localeCompare(b.ackNumber))
}

function describeGuarantee(kind: string, status: string, isOpen: boolean): RoomingListRow['guarantee'] {
  if (kind === 'master') return 'master'
  if (kind === 'none' || status === 'notNeeded') return 'none'
  if (status !== 'secured') return 'pending'
  if (kind === 'deposit') return 'deposit'
  return isOpen ? 'card' : 'cardAtCheckIn'
}

export const toRoomingListRow = ({ status: _s, revision: _r, ...row }: RoomingListRoom): RoomingListRow => row

/** Finds the latest rooming list of the hotel; null before the first one. */
export const findLatestRoomingList = async (ctx: Pick<HousingContext, 'db' | 'tenantId' | 'event'>, hotelId: string) =>
  (await eventDb(ctx)
    .selectFrom('rooming_lists')
    .selectAll()
    .where('hotel_id', '=', hotelId)
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst()) ?? null

/** Reads the rows of the previous version of a rooming list; none before the first. */
export async function readPreviousRoomingListRows(
  ctx: Pick<HousingContext, 'db' | 'tenantId' | 'event'>,
  { hotel_id, version }: { hotel_id: string; version: number },
): Promise<RoomingListRow[]> {
  const row = await eventDb(ctx)
    .selectFrom('rooming_lists')
    .select('rows')
    .where('hotel_id', '=', hotel_id)
    .where('version', '=', version - 1)
    .executeTakeFirst()
  return row?.rows ?? []
}
