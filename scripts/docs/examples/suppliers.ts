import type { Examples } from './example.ts'

export const SUPPLIERS_EXAMPLES: Examples = {}
