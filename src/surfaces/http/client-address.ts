import type { IncomingMessage } from 'node:http'

/** Whose request it is. What a proxy says of it counts only when the operator named that proxy. */
export function clientAddress(request: IncomingMessage, trustedProxies: readonly string[]): string {
  const peer = plainAddress(request.socket.remoteAddress ?? '')
  if (!trustedProxies.includes(peer)) return peer
  const forwarded = String(request.headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
  // The nearest hop that is not ours: everything left of it the client could have written itself.
  return forwarded.findLast((address) => !trustedProxies.includes(address)) ?? peer
}

const plainAddress = (address: string) => (address.startsWith('::ffff:') ? address.slice(7) : address)
