import type { Examples } from './example.ts'

export const HOTEL_CATALOG_EXAMPLES: Examples = {}
