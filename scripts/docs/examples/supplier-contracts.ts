import type { Examples } from './example.ts'

export const SUPPLIER_CONTRACTS_EXAMPLES: Examples = {}
