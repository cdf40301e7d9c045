import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'
import { hotelIdOf, openRooms } from './housing.ts'
import { event } from './registration.ts'

const REASON = 'The attestation of the hotel is being renewed this week'

async function granted(stage: Stage, code: string) {
  const until = new Date((await stage.world.clock.now()).getTime() + 20 * 86_400_000).toISOString().slice(0, 10)
  return { ...event(stage), hotelId: await hotelIdOf(stage, code), action: 'grant', reason: `${REASON} ${stage.text()}`, until }
}

export const HOTEL_PCI_EXAMPLES: Examples = {
  list_hotel_pci_records: [
    async (stage) => {
      await openRooms(stage)
      return { ...event(stage), status: ['missing', 'valid'] }
    },
    async (stage) => ({ ...event(stage), hotelId: await hotelIdOf(stage, 'house-1') }),
  ],
  override_hotel_pci_aoc: [
    (stage) => granted(stage, 'house-0'),
    async (stage) => {
      const { until: _until, ...call } = await granted(stage, 'house-2')
      await stage.admin.call('override_hotel_pci_aoc', { ...call, until: _until })
      return { ...call, action: 'revoke' }
    },
  ],
}
