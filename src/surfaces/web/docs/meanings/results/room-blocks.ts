import type { ToolMeanings } from '../meanings.ts'

export const ROOM_BLOCKS_RESULTS: ToolMeanings = {}
