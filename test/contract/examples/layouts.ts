import type { Examples } from '../examples.ts'

export const LAYOUTS_EXAMPLES: Examples = {}
