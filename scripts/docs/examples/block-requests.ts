import type { Examples } from './example.ts'

export const BLOCK_REQUESTS_EXAMPLES: Examples = {}
