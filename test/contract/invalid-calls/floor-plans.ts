import type { InvalidCall } from './calls.ts'

export const FLOOR_PLANS_CALLS: readonly InvalidCall[] = []
