import { type InvalidCall, named, valued, without } from './calls.ts'

export const HOTEL_PCI_CALLS: readonly InvalidCall[] = [
  valued('list_hotel_pci_records', 'status', ['ok'], ['valid'], ['valid']),
  named('list_hotel_pci_records', 'days', 'expiringWithinDays', 30),
  valued('override_hotel_pci_aoc', 'action', 'allow', 'grant', ['grant']),
  valued('override_hotel_pci_aoc', 'reason', 'ok', undefined, ['at least 20 characters']),
  without('override_hotel_pci_aoc', 'until', ['grant']),
]
