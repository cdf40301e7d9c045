import type { Examples } from './example.ts'

export const BRIEFS_EXAMPLES: Examples = {}
