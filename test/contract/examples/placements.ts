import type { Examples } from '../examples.ts'

export const PLACEMENTS_EXAMPLES: Examples = {}
