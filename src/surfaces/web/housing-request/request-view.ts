import { findPendingAmendment } from '../../../domains/block-requests/describe.ts'
import { readUsualRoomsPerNight } from '../../../domains/block-requests/flags.ts'
import { listBlockGuests } from '../../../domains/block-requests/guests.ts'
import { listBlockNights, readBlockRequestSettings, sumRoomsByNight } from '../../../domains/block-requests/requests.ts'
import { getBlockById } from '../../../domains/housing/blocks.ts'
import { listHotelChoices } from '../../../domains/housing/hotels.ts'
import type { FormErrors } from '../fields.ts'
import type { FormValues } from '../web.ts'
import type { ManagedRoomRequest } from './access.tsx'

/** A hotel and room type in which the room block of a request has rooms. */
export interface BlockRoomTypeOption {
  value: string
  hotel: string
  roomType: string
  maxOccupancy: number
}

/** Reads the rooms, guests and dates of a request. */
export async function readRequestView({ ctx, row }: ManagedRoomRequest) {
  const nights = await listBlockNights(ctx, row)
  const { rules, today } = await readBlockRequestSettings(ctx)
  const hotels = new Map((await listHotelChoices(ctx)).map((hotel) => [hotel.id, hotel]))
  const toRoom = (hotelId: string, code: string): BlockRoomTypeOption => {
    const hotel = hotels.get(hotelId)
    const type = hotel?.roomTypes.find((one) => one.code === code)
    return {
      value: `${hotelId} ${code}`,
      hotel: hotel?.name ?? hotelId,
      roomType: type?.name ?? code,
      maxOccupancy: type?.maxOccupancy ?? 1,
    }
  }
  const rooms = new Map(nights.map(({ hotelId, roomTypeCode }) => [`${hotelId} ${roomTypeCode}`, toRoom(hotelId, roomTypeCode)]))
  return {
    nights,
    granted: sumRoomsByNight(nights),
    booked: sumRoomsByNight(nights.map(({ night, booked }) => ({ night, rooms: booked }))),
    left: sumRoomsByNight(nights.map(({ night, rooms: all, booked, held }) => ({ night, rooms: all - booked - held }))),
    rooms: [...rooms.values()],
    toRoom,
    guests: await listBlockGuests(ctx, row),
    pending: await findPendingAmendment(ctx, row.id),
    nameBy: row.block_id === null ? null : (await getBlockById(ctx, row.block_id)).name_deadline_on,
    amendUntil: rules?.amendUntil ?? null,
    today,
    usual: await readUsualRoomsPerNight(ctx, row.company_id),
  }
}

export type RequestView = Awaited<ReturnType<typeof readRequestView>>

/** The data that the cards of the request page share. */
export interface RequestCardProps {
  open: ManagedRoomRequest
  view: RequestView
  /** The path of the page. Its forms are submitted to the same path. */
  action: string
  csrf: string
  /** The values of a form that was refused, including the name of its submit button. */
  sent: FormValues
  formErrors: FormErrors | null
}

/** Returns the submitted values if the refused form has this submit button; empty values for the other forms of the page. */
export const getRefusedFormValues = ({ sent, formErrors }: RequestCardProps, button: string): FormValues =>
  formErrors && sent['do'] === button ? sent : {}
