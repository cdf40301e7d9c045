import type { InvalidCall } from './calls.ts'

export const HOTEL_CONTRACTS_CALLS: readonly InvalidCall[] = []
