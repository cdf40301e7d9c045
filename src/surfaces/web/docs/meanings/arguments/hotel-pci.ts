import type { FieldDocsByTool } from '../meanings.ts'

export const HOTEL_PCI_ARGUMENT_DOCS: FieldDocsByTool = {
  list_hotel_pci_records: {
    hotelId: 'Only this hotel, by id or code.',
    status: 'Only hotels in these states.',
    expiringWithinDays: 'Only attestations that end within this number of days.',
  },
  override_hotel_pci_aoc: {
    hotelId: 'Id or code of the hotel.',
    action: 'grant requests that cards are let through, or grants what another person requested; revoke withholds them again, or cancels the request.',
    reason: 'Why cards may go to the hotel, or no longer. It stays in the audit log.',
    until: 'Last day of the grant, at most 90 days ahead, and at most the day that was requested.',
  },
}
