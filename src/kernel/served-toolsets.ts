import type { ToolsetName } from './permissions.ts'

/**
 * The toolsets that have tools, in display order. Toolsets without tools are offered nowhere. A test compares this list with the tools
 * themselves.
 */
export const NON_EMPTY_TOOLSETS: readonly ToolsetName[] = [
  'events',
  'registration',
  'housing',
  'reports',
  'exhibitors',
  'sessions',
  'sourcing',
  'onsite',
  'clients',
]
