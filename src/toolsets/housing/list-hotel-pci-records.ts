import { toOneLine, count, list, oneOf, pageArguments, pageResult } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { hotelReferenceSchema } from '../../domains/housing/find-hotel.ts'
import { listPciRecords, PciStatusCounts, PciRecord } from '../../domains/housing/pci/records.ts'
import { PCI_STATUSES } from '../../domains/housing/pci/status.ts'

export default eventTool({
  name: 'list_hotel_pci_records',
  title: 'Card security of hotels',
  description:
    "Which hotels may receive guests' cards: PCI attestation of compliance (AOC) of each hotel, missing, waiting for review, rejected, valid, about to expire or expired, overrides in force, and how many cards are withheld. To let cards through without one use override_hotel_pci_aoc. Returns one row per hotel and counts.",
  effect: 'read',
  permission: 'housing.read',
  input: {
    hotelId: hotelReferenceSchema().optional(),
    status: list(oneOf(PCI_STATUSES), PCI_STATUSES.length).optional(),
    expiringWithinDays: count(0, 366).optional(),
    ...pageArguments,
  },
  output: {
    records: list(toOneLine(PciRecord, 'hotelId, name, status, validUntil, renewal, override, overrideRequest, cardsWaiting')),
    counts: toOneLine(PciStatusCounts, 'by status'),
    ...pageResult,
  },
  run: listPciRecords,
})
