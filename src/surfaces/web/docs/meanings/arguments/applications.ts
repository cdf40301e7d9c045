import type { ToolMeanings } from '../meanings.ts'

export const APPLICATIONS_ARGUMENTS: ToolMeanings = {}
