import type { Examples } from '../examples.ts'

export const SUPPLIERS_EXAMPLES: Examples = {}
