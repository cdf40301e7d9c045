import type { Examples } from '../examples.ts'

export const HOTEL_WAITLIST_EXAMPLES: Examples = {}
