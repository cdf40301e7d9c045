import type { Examples } from '../examples.ts'

export const BOOTHS_EXAMPLES: Examples = {}
