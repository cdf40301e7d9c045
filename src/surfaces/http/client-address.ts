import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'

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

/** Whom a limit counts: one household or machine of the newer protocol holds 2^64 addresses. */
export function addressBlock(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail = ''] = address.split('::')
  const [first, last] = [head.split(':').filter(Boolean), tail.split(':').filter(Boolean)]
  const missing = address.includes('::') ? 8 - first.length - last.length : 0
  const groups = [...first, ...Array.from({ length: missing }, () => '0'), ...last]
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}
