import type { ToolMeanings } from '../meanings.ts'

export const BOOTHS_RESULTS: ToolMeanings = {}
