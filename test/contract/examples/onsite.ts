import type { Examples } from '../examples.ts'

export const ONSITE_EXAMPLES: Examples = {}
