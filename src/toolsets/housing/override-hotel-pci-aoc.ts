import { toOneLine } from '../../kernel/args.ts'
import { z } from 'zod'
import { eventTool } from '../../kernel/tool.ts'
import { PCI_OVERRIDE_PERMISSIONS, pciOverrideArguments, overridePciRequirement } from '../../domains/housing/pci/override.ts'
import { PciRecord } from '../../domains/housing/pci/records.ts'

export default eventTool({
  name: 'override_hotel_pci_aoc',
  title: 'Override card security of a hotel',
  description:
    "Let guests' cards go to a hotel without a valid PCI attestation (AOC), until a day, with a reason; or stop that again. Actions: grant, revoke. Without a reviewed attestation, the first grant only requests it; a second person's grant puts it in force. Not for accepting an attestation: that is reviewed in the console. Returns the record and the cards released.",
  effect: 'change',
  permission: PCI_OVERRIDE_PERMISSIONS,
  keyed: true,
  dryRun: true,
  openWorld: true,
  input: pciOverrideArguments,
  output: {
    record: toOneLine(PciRecord, 'hotelId, name, status, override, overrideRequest, cardsWaiting'),
    cardsReleased: z.int(),
  },
  run: overridePciRequirement,
})
