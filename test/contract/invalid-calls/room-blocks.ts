import type { InvalidCall } from './calls.ts'

export const ROOM_BLOCKS_CALLS: readonly InvalidCall[] = []
