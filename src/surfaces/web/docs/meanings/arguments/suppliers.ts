import type { ToolMeanings } from '../meanings.ts'

export const SUPPLIERS_ARGUMENTS: ToolMeanings = {}
