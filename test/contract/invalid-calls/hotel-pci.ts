import type { InvalidCall } from './calls.ts'

export const HOTEL_PCI_CALLS: readonly InvalidCall[] = []
