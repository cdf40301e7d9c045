import type { InvalidCall } from './calls.ts'

export const SESSIONS_CALLS: readonly InvalidCall[] = []
