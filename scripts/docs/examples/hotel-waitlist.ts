import type { Examples } from './example.ts'

export const HOTEL_WAITLIST_EXAMPLES: Examples = {}
