import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { getClientIpBlock } from '../client-address.ts'

const request = (remoteAddress: string, forwarded?: string) =>
  ({ socket: { remoteAddress }, headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage

const PROXY = '10.0.0.1'
const behindProxy = (forwarded: string) => getClientIpBlock(request(PROXY, forwarded), [PROXY])

describe('getClientIpBlock', () => {
  it('returns the address of the connection, unless a trusted proxy forwards another address', () => {
    expect(getClientIpBlock(request('203.0.113.7'), [])).toBe('203.0.113.7')
    expect(getClientIpBlock(request('::ffff:203.0.113.7'), [])).toBe('203.0.113.7')
    expect(getClientIpBlock(request('203.0.113.7', '198.51.100.1'), [PROXY])).toBe('203.0.113.7')
    expect(behindProxy('192.0.2.66, 198.51.100.1')).toBe('198.51.100.1')
    expect(behindProxy('198.51.100.1, 10.0.0.1')).toBe('198.51.100.1')
  })

  it('returns the /64 block of an IPv6 address', () => {
    const block = '2001:db8:1:2'
    for (const address of ['2001:db8:1:2::1', '2001:0db8:0001:0002:ffff:ffff:ffff:ffff', '2001:DB8:1:2:3::'])
      expect([address, getClientIpBlock(request(address), []), behindProxy(address)]).toEqual([address, block, block])
    expect(behindProxy('2001:db8:1:3::1')).not.toBe(block)
  })

  it('returns the IPv4 address of a client whose address a proxy formats as IPv6', () => {
    expect([behindProxy('::ffff:198.51.100.1'), behindProxy('::ffff:198.51.100.2')]).toEqual(['198.51.100.1', '198.51.100.2'])
  })

  it('reads forwarded client addresses with ports, brackets, quotes or zones', () => {
    for (const written of ['198.51.100.1:80', '"198.51.100.1"', '"198.51.100.1:4711"', '[::ffff:198.51.100.1]:80', '::ffff:c633:6401'])
      expect([written, behindProxy(written)]).toEqual([written, '198.51.100.1'])
    for (const written of ['[2001:db8:1:2::1]:4711', '[2001:DB8:1:2:0:0:0:1]', '"[2001:db8:1:2::9]"', '2001:db8:1:2::1%eth0'])
      expect([written, behindProxy(written)]).toEqual([written, '2001:db8:1:2'])
    expect(behindProxy('"[::1]"')).toBe('0:0:0:0')
  })

  it('returns the nearest valid forwarded address and ignores everything before an invalid one', () => {
    for (const junk of [
      'unknown',
      '_hidden',
      'for=198.51.100.1',
      '198.51.100.1:',
      '198.51.100',
      '[2001:db8::1',
      '1.2.3.4:80:90',
      '256.1.1.1',
      '\u0000',
    ])
      expect([junk, behindProxy(`192.0.2.66, ${junk}`)]).toEqual([junk, PROXY])
    expect(behindProxy('unknown, 198.51.100.1:80')).toBe('198.51.100.1')
    expect(behindProxy(', ,198.51.100.1 , ')).toBe('198.51.100.1')
    expect(behindProxy('')).toBe(PROXY)
  })

  it('recognizes a trusted proxy in every notation of its IP address, but only by the connection and never by a header', () => {
    const trusted = ['2001:DB8:0:0:0:0:0:1', '::ffff:10.0.0.1']
    expect(getClientIpBlock(request('2001:db8::1', '198.51.100.1:80, [2001:db8::1]:443'), trusted)).toBe('198.51.100.1')
    expect(getClientIpBlock(request('10.0.0.1', '198.51.100.1'), trusted)).toBe('198.51.100.1')
    expect(getClientIpBlock(request('203.0.113.7', '10.0.0.1:80, 198.51.100.1'), trusted)).toBe('203.0.113.7')
  })
})
