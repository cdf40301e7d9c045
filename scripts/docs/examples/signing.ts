import type { Examples } from './example.ts'

export const SIGNING_EXAMPLES: Examples = {}
