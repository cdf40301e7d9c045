import type { ToolMeanings } from '../meanings.ts'

export const HOTEL_WAITLIST_ARGUMENTS: ToolMeanings = {}
