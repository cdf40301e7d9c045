import type { ToolMeanings } from '../meanings.ts'

export const SIGNING_ARGUMENTS: ToolMeanings = {}
