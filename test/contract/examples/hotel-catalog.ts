import type { Examples } from '../examples.ts'

export const HOTEL_CATALOG_EXAMPLES: Examples = {}
