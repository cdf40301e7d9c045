import type { Parameters } from '../parameters.ts'

export const SCOPES = ['organizer', 'offline_access'] as const

/** What is granted: all there is to grant, whatever was asked for. Unknown scopes are dropped, because apps bring those of other servers along. */
export function scope(parameters: Parameters): string {
  const asked = (parameters.get('scope') ?? '').split(' ')
  return SCOPES.filter((name) => name === 'organizer' || asked.includes(name)).join(' ')
}
