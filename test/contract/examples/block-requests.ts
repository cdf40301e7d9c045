import type { Examples } from '../examples.ts'

export const BLOCK_REQUESTS_EXAMPLES: Examples = {}
