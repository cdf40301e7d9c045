import type { ToolMeanings } from '../meanings.ts'

export const RFPS_ARGUMENTS: ToolMeanings = {}
