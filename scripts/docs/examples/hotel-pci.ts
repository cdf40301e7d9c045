import { type Examples, SUMMIT_SCOPE } from './example.ts'

export const HOTEL_PCI_EXAMPLES: Examples = {
  list_hotel_pci_records: () => ({ ...SUMMIT_SCOPE }),
  override_hotel_pci_aoc: () => ({
    ...SUMMIT_SCOPE,
    hotelId: 'ribeira',
    action: 'grant',
    reason: 'The hotel renews its attestation before the event starts.',
    until: '2027-02-28',
    dryRun: true,
  }),
}
