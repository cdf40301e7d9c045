import type { InvalidCall } from './calls.ts'

export const BOOTHS_CALLS: readonly InvalidCall[] = []
