import type { InvalidCall } from './calls.ts'

export const HOTEL_WAITLIST_CALLS: readonly InvalidCall[] = []
