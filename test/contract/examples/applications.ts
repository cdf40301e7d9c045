import type { Examples } from '../examples.ts'

export const APPLICATIONS_EXAMPLES: Examples = {}
