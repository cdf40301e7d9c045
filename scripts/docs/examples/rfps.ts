import type { Examples } from './example.ts'

export const RFPS_EXAMPLES: Examples = {}
