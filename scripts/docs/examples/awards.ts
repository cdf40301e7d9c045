import type { Examples } from './example.ts'

export const AWARDS_EXAMPLES: Examples = {}
