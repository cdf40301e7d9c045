import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'

/** Whom a limit counts: the address a request came from, or all of its block where one household or machine holds 2^64 of them. */
export const clientAddress = (request: IncomingMessage, trustedProxies: readonly string[]): string =>
  addressBlock(addressOf(request, trustedProxies))

/** What a proxy says of a request counts only when the operator named that proxy. */
function addressOf(request: IncomingMessage, trustedProxies: readonly string[]): string {
  const peer = plainAddress(request.socket.remoteAddress ?? '')
  if (!trustedProxies.includes(peer)) return peer
  const forwarded = String(request.headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((part) => plainAddress(part.trim()))
    .filter(Boolean)
  // The nearest hop that is not ours: everything left of it the client could have written itself.
  return forwarded.findLast((address) => !trustedProxies.includes(address)) ?? peer
}

const plainAddress = (address: string) => (address.startsWith('::ffff:') ? address.slice(7) : address)

function addressBlock(address: string): string {
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
