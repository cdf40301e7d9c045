import type { InvalidCall } from './calls.ts'

export const BLOCK_REQUESTS_CALLS: readonly InvalidCall[] = []
