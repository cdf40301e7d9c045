import type { ToolMeanings } from '../meanings.ts'

export const BOOTHS_ARGUMENTS: ToolMeanings = {}
