import type { Examples } from '../examples.ts'

export const HOTEL_CONTRACTS_EXAMPLES: Examples = {}
