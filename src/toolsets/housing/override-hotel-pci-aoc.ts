import { brief, day, oneOf } from '../../kernel/args.ts'
import { z } from 'zod'
import { eventTool } from '../../kernel/tool.ts'
import { hotelArgument } from '../../domains/housing/find-hotel.ts'
import { overridePciGate } from '../../domains/housing/pci/override.ts'
import { PciRecord } from '../../domains/housing/pci/records.ts'

export default eventTool({
  name: 'override_hotel_pci_aoc',
  title: 'Override card security of a hotel',
  description:
    "Let guests' cards go to a hotel of this event that has no valid PCI attestation (AOC) yet, until a day, with a reason; or stop that again. Actions: grant, revoke. Administrators are emailed. Not for accepting an attestation: that is reviewed in the console. Returns the record and how many cards are released.",
  effect: 'change',
  permission: ['housing.write', 'money.write'],
  keyed: true,
  dryRun: true,
  openWorld: true,
  input: {
    hotelId: hotelArgument(),
    action: oneOf(['grant', 'revoke']),
    reason: z.string().trim().min(20, 'at least 20 characters').max(1000, 'at most 1000 characters'),
    until: day().optional(),
  },
  output: { record: brief(PciRecord, 'hotelId, name, status, override, cardsWaiting'), cardsReleased: z.int() },
  run: overridePciGate,
})
