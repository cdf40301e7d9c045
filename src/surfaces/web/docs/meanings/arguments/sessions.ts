import type { ToolMeanings } from '../meanings.ts'

export const SESSIONS_ARGUMENTS: ToolMeanings = {}
