import type { ToolMeanings } from '../meanings.ts'

export const BLOCK_REQUESTS_ARGUMENTS: ToolMeanings = {}
