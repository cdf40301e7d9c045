import type { InvalidCall } from './calls.ts'

export const SUPPLIER_CONTRACTS_CALLS: readonly InvalidCall[] = []
