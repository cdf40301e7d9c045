import type { ToolMeanings } from '../meanings.ts'

export const FLOOR_PLANS_RESULTS: ToolMeanings = {}
