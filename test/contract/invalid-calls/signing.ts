import type { InvalidCall } from './calls.ts'

export const SIGNING_CALLS: readonly InvalidCall[] = []
