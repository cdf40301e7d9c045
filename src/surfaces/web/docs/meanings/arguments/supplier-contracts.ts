import type { ToolMeanings } from '../meanings.ts'

export const SUPPLIER_CONTRACTS_ARGUMENTS: ToolMeanings = {}
