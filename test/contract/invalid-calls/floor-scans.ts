import type { InvalidCall } from './calls.ts'

export const FLOOR_SCANS_CALLS: readonly InvalidCall[] = []
