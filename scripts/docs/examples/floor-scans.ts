import type { Examples } from './example.ts'

export const FLOOR_SCANS_EXAMPLES: Examples = {}
