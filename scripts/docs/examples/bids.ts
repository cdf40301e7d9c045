import type { Examples } from './example.ts'

export const BIDS_EXAMPLES: Examples = {}
