import type { Examples } from './example.ts'

export const HOTEL_PCI_EXAMPLES: Examples = {}
