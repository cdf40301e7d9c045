import type { Examples } from '../examples.ts'

export const HOTEL_PCI_EXAMPLES: Examples = {}
