import type { InvalidCall } from './calls.ts'

export const PLACEMENTS_CALLS: readonly InvalidCall[] = []
