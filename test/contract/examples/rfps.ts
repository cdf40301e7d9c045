import type { Examples } from '../examples.ts'

export const RFPS_EXAMPLES: Examples = {}
