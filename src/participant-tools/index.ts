import type { Tool } from '../kernel/tool.ts'

/** The participant endpoint's tools in their fixed order. */
export const PARTICIPANT_TOOLS: readonly Tool[] = []
