import type { IncomingMessage } from 'node:http'

/** The token of the Authorization header. Tokens in the URL are ignored, because URLs are logged. */
export function readBearerToken(request: IncomingMessage): string | null {
  const match = /^Bearer +(\S{1,500})$/i.exec(request.headers.authorization ?? '')
  return match ? match[1]! : null
}
