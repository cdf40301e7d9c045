import type { ToolMeanings } from '../meanings.ts'

export const HOTEL_CONTRACTS_ARGUMENTS: ToolMeanings = {}
