import type { ToolMeanings } from '../meanings.ts'

export const BIDS_ARGUMENTS: ToolMeanings = {}
