import type { Examples } from './example.ts'

export const SESSIONS_EXAMPLES: Examples = {}
