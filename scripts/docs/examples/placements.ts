import type { Examples } from './example.ts'

export const PLACEMENTS_EXAMPLES: Examples = {}
