import type { InvalidCall } from './calls.ts'

export const ONSITE_CALLS: readonly InvalidCall[] = []
