import type { ToolMeanings } from '../meanings.ts'

export const FLOOR_SCANS_ARGUMENTS: ToolMeanings = {}
