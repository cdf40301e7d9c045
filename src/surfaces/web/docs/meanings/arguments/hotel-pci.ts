import type { ToolMeanings } from '../meanings.ts'

export const HOTEL_PCI_ARGUMENTS: ToolMeanings = {}
