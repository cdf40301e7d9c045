import type { Examples } from '../examples.ts'

export const SIGNING_EXAMPLES: Examples = {}
