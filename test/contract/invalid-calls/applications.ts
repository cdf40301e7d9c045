import type { InvalidCall } from './calls.ts'

export const APPLICATIONS_CALLS: readonly InvalidCall[] = []
