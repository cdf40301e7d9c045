/**
 * The people in the specification's example of audience profiles: first-time or returning, origin, days between registration and event,
 * amount spent, and how many people.
 */
export const WORKED_PATTERNS = [
  ['returning', 'home', 'over90', 'high', 10],
  ['returning', 'home', '31-90', 'high', 7],
  ['returning', 'region', 'over90', 'high', 3],
  ['first', 'home', '0-7', 'low', 8],
  ['first', 'home', '0-7', 'zero', 7],
  ['returning', 'home', '0-7', 'zero', 2],
  ['first', 'abroad', '8-30', 'mid', 6],
  ['first', 'abroad', '0-7', 'mid', 4],
  ['first', 'abroad', '8-30', 'low', 3],
] as const
