import type { Examples } from '../examples.ts'

export const ROOM_BLOCKS_EXAMPLES: Examples = {}
