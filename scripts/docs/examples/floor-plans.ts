import type { Examples } from './example.ts'

export const FLOOR_PLANS_EXAMPLES: Examples = {}
