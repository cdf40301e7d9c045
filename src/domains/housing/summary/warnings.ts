import { object, oneOf, text, untrustedText } from '../../../kernel/args.ts'
import { daysBetween } from '../../../kernel/time.ts'
import type { Attrition } from '../contracts/attrition.ts'
import type { RoomNightCounts } from './figures.ts'

const DAYS_BEFORE_CUTOFF = 14

export const HousingWarningShape = object({
  code: oneOf(['below_commitment', 'cards_withheld', 'sold_out']),
  hotelId: text(),
  message: untrustedText(),
})

interface WatchedHotel extends RoomNightCounts {
  id: string
  name: string
  contractStatus: string
  cutoffOn: string | null
}

interface HotelState {
  today: string
  attrition: Attrition
  cardsWaiting: number
  waiting: number
}

/**
 * Lists problems that an organizer should act on: bookings below the commitment shortly before the cut-off, card data that is withheld from
 * the hotel, and a waiting list for a full hotel.
 */
export function listHousingWarnings(hotel: WatchedHotel, { today, attrition, cardsWaiting, waiting }: HotelState) {
  const { id: hotelId, name, cutoffOn } = hotel
  const left = cutoffOn === null ? null : daysBetween(today, cutoffOn)
  const isNear = hotel.contractStatus === 'definite' && left !== null && left >= 0 && left <= DAYS_BEFORE_CUTOFF
  const missing = attrition.committed - attrition.pickup
  return [
    ...(isNear && missing > 0
      ? [
          {
            code: 'below_commitment' as const,
            hotelId,
            message: `${name}: cut-off on ${cutoffOn}, and ${attrition.pickup} of ${attrition.committed} committed room nights are booked`,
          },
        ]
      : []),
    ...(cardsWaiting > 0
      ? [
          {
            code: 'cards_withheld' as const,
            hotelId,
            message: `${name}: ${cardsWaiting} cards withheld until it shows a valid PCI attestation`,
          },
        ]
      : []),
    ...(waiting > 0 && hotel.contracted > 0 && hotel.freeSell === 0
      ? [{ code: 'sold_out' as const, hotelId, message: `${name} is sold out while ${waiting} people wait` }]
      : []),
  ]
}
