import type { Examples } from '../examples.ts'

export const FLOOR_PLANS_EXAMPLES: Examples = {}
