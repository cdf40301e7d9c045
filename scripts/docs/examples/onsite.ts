import type { Examples } from './example.ts'

export const ONSITE_EXAMPLES: Examples = {}
