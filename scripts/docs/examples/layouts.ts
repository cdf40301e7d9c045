import type { Examples } from './example.ts'

export const LAYOUTS_EXAMPLES: Examples = {}
