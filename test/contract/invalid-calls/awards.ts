import type { InvalidCall } from './calls.ts'

export const AWARDS_CALLS: readonly InvalidCall[] = []
