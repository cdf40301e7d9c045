import type { ToolMeanings } from '../meanings.ts'

export const AWARDS_ARGUMENTS: ToolMeanings = {}
