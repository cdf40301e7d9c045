import type { InvalidCall } from './calls.ts'

export const BIDS_CALLS: readonly InvalidCall[] = []
