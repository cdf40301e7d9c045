import type { InvalidCall } from './calls.ts'

export const LAYOUTS_CALLS: readonly InvalidCall[] = []
