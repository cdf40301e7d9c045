import type { Examples } from '../examples.ts'

export const SUPPLIER_CONTRACTS_EXAMPLES: Examples = {}
