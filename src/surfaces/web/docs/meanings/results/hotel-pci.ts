import type { FieldDocsByTool } from '../meanings.ts'

export const HOTEL_PCI_RESULT_DOCS: FieldDocsByTool = {
  list_hotel_pci_records: {
    records: 'One row per hotel of the event.',
  },
  override_hotel_pci_aoc: {
    record: 'The card security of the hotel after the change; overrideRequest waits for another person.',
    cardsReleased: 'Cards that are no longer withheld; negative after a revocation.',
  },
}
