import type { ToolMeanings } from '../meanings.ts'

export const BRIEFS_ARGUMENTS: ToolMeanings = {}
