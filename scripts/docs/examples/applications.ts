import type { Examples } from './example.ts'

export const APPLICATIONS_EXAMPLES: Examples = {}
