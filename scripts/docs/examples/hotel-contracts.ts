import type { Examples } from './example.ts'

export const HOTEL_CONTRACTS_EXAMPLES: Examples = {}
