import type { Examples } from '../examples.ts'

export const BRIEFS_EXAMPLES: Examples = {}
