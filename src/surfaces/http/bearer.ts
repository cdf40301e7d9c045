import type { IncomingMessage } from 'node:http'

/** The token of the Authorization header. One in the address is never looked at: addresses end up in logs. */
export function bearerOf(request: IncomingMessage): string | null {
  const match = /^Bearer +(\S{1,500})$/i.exec(request.headers.authorization ?? '')
  return match ? match[1]! : null
}
