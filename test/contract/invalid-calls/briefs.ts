import type { InvalidCall } from './calls.ts'

export const BRIEFS_CALLS: readonly InvalidCall[] = []
