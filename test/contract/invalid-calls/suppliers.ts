import type { InvalidCall } from './calls.ts'

export const SUPPLIERS_CALLS: readonly InvalidCall[] = []
