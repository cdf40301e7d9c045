import type { ToolMeanings } from '../meanings.ts'

export const SESSIONS_RESULTS: ToolMeanings = {}
