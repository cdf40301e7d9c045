import type { Examples } from '../examples.ts'

export const SESSIONS_EXAMPLES: Examples = {}
