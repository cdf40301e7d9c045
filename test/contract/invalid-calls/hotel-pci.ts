import { type InvalidCall, wrongName, wrongValue, missingArgument } from './calls.ts'

export const HOTEL_PCI_CALLS: readonly InvalidCall[] = [
  wrongValue('list_hotel_pci_records', 'status', ['ok'], ['valid'], ['valid']),
  wrongName('list_hotel_pci_records', 'days', 'expiringWithinDays', 30),
  wrongValue('override_hotel_pci_aoc', 'action', 'allow', 'grant', ['grant']),
  wrongValue('override_hotel_pci_aoc', 'reason', 'ok', undefined, ['at least 20 characters']),
  missingArgument('override_hotel_pci_aoc', 'until', ['grant']),
]
