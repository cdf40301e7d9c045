import { preconditionFailed } from '../../../kernel/errors.ts'
import type { HousingContext, HousingSnapshot } from '../context.ts'
import { listHotelPciStatuses, type PciStatusContext } from './status.ts'

/** Reads for each hotel whether it may receive card data: with a valid PCI attestation, or an override in force. */
export async function readHotelCardEligibility(ctx: PciStatusContext, hotelIds: readonly string[]): Promise<Map<string, boolean>> {
  return new Map((await listHotelPciStatuses(ctx, hotelIds)).map(({ hotelId, isOpen }) => [hotelId, isOpen]))
}

export const canReceiveCards = async (ctx: PciStatusContext, hotelId: string): Promise<boolean> =>
  (await readHotelCardEligibility(ctx, [hotelId])).get(hotelId) ?? false

/** Throws if rooms are guaranteed by card, the event requires a PCI attestation before booking, and the hotel may not receive card data. */
export async function refuseHotelWithoutAttestation(
  ctx: HousingContext,
  { config }: Pick<HousingSnapshot, 'config'>,
  hotel: { id: string; name: string },
): Promise<void> {
  const { pciGate, guarantee } = config.housing
  if (pciGate !== 'booking' || guarantee !== 'card' || (await canReceiveCards(ctx, hotel.id))) return
  throw preconditionFailed(
    `${hotel.name} cannot be booked yet: it has not provided the PCI attestation that is required to receive card data`,
  )
}
