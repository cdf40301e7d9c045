import type { Examples } from '../examples.ts'

export const FLOOR_SCANS_EXAMPLES: Examples = {}
