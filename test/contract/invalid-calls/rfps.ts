import type { InvalidCall } from './calls.ts'

export const RFPS_CALLS: readonly InvalidCall[] = []
