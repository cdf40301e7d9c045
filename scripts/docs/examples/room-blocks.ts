import type { Examples } from './example.ts'

export const ROOM_BLOCKS_EXAMPLES: Examples = {}
