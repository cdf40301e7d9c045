import type { ToolMeanings } from '../meanings.ts'

export const SUPPLIERS_RESULTS: ToolMeanings = {}
