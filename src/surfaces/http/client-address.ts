import type { IncomingMessage } from 'node:http'
import { isIPv4, isIPv6, SocketAddress } from 'node:net'

/** The key for rate limits: the client's IPv4 address, or its /64 block for IPv6, because one household has 2^64 addresses. */
export const getClientIpBlock = (request: IncomingMessage, trustedProxies: readonly string[]): string =>
  addressBlock(addressOf(request, trustedProxies))

/** Forwarding headers such as X-Forwarded-For are read only if the connection comes from a trusted proxy. */
function addressOf(request: IncomingMessage, trustedProxies: readonly string[]): string {
  const peer = plainAddress(request.socket.remoteAddress ?? '') ?? ''
  const isTrusted = (address: string) => trustedProxies.some((proxy) => plainAddress(proxy) === address)
  if (!isTrusted(peer)) return peer
  const forwarded = String(request.headers['x-forwarded-for'] ?? '').split(',')
  // The nearest hop that is not a trusted proxy. Everything to the left of it, or of an invalid entry, could be forged by the client.
  let nearest = peer
  for (const part of forwarded.filter((text) => text.trim() !== '').toReversed()) {
    const address = plainAddress(part)
    if (address === null) return nearest
    nearest = address
    if (!isTrusted(address)) return address
  }
  return nearest
}

/** Normalizes an address that proxies write in quotes or brackets, with a port or with a zone. Null for anything else. */
function plainAddress(text: string): string | null {
  const bare = text.trim().replace(/^"([^"]*)"$/, '$1')
  const host = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(bare)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(bare)?.[1] ?? bare
  const address = host.replace(/%[\w.-]*$/, '')
  if (isIPv4(address)) return address
  if (!isIPv6(address)) return null
  const spelled = new SocketAddress({ address, family: 'ipv6' }).address
  const mapped = /^::ffff:([\d.]+)$/.exec(spelled)?.[1]
  return mapped ?? spelled
}

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
