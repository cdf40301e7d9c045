import type { Examples } from './example.ts'

export const BOOTHS_EXAMPLES: Examples = {}
