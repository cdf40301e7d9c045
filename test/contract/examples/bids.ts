import type { Examples } from '../examples.ts'

export const BIDS_EXAMPLES: Examples = {}
