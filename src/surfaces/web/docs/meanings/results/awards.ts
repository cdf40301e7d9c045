import type { ToolMeanings } from '../meanings.ts'

export const AWARDS_RESULTS: ToolMeanings = {}
