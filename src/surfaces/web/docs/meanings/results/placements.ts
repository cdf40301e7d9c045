import type { ToolMeanings } from '../meanings.ts'

export const PLACEMENTS_RESULTS: ToolMeanings = {}
