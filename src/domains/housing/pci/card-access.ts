import { preconditionFailed } from '../../../kernel/errors.ts'
import type { EventScope, HousingSnapshot } from '../context.ts'
import { listHotelPci, type PciScope } from './status.ts'

/** Reads for each hotel whether it may receive cards: with a valid attestation or an override in force. */
export async function readCardAccess(ctx: PciScope, hotelIds: readonly string[]): Promise<Map<string, boolean>> {
  return new Map((await listHotelPci(ctx, hotelIds)).map(({ hotelId, isOpen }) => [hotelId, isOpen]))
}

export const canReceiveCards = async (ctx: PciScope, hotelId: string): Promise<boolean> =>
  (await readCardAccess(ctx, [hotelId])).get(hotelId) ?? false

/** Throws for rooms guaranteed by card at a hotel that may not receive cards, if the event requires the attestation before booking. */
export async function refuseWithoutAttestation(
  ctx: EventScope,
  { config }: Pick<HousingSnapshot, 'config'>,
  hotel: { id: string; name: string },
): Promise<void> {
  const { pciGate, guarantee } = config.housing
  if (pciGate !== 'booking' || guarantee !== 'card' || (await canReceiveCards(ctx, hotel.id))) return
  throw preconditionFailed(
    `${hotel.name} cannot be booked yet: it has not provided the PCI attestation that is required to receive card data`,
  )
}
