import type { ToolMeanings } from '../meanings.ts'

export const HOTEL_CATALOG_ARGUMENTS: ToolMeanings = {}
