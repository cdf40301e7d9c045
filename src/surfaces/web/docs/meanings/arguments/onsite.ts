import type { ToolMeanings } from '../meanings.ts'

export const ONSITE_ARGUMENTS: ToolMeanings = {}
