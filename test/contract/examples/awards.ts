import type { Examples } from '../examples.ts'

export const AWARDS_EXAMPLES: Examples = {}
