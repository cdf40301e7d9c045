import type { ToolMeanings } from '../meanings.ts'

export const APPLICATIONS_RESULTS: ToolMeanings = {}
