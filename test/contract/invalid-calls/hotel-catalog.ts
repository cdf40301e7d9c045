import type { InvalidCall } from './calls.ts'

export const HOTEL_CATALOG_CALLS: readonly InvalidCall[] = []
