import type { ToolMeanings } from '../meanings.ts'

export const LAYOUTS_ARGUMENTS: ToolMeanings = {}
