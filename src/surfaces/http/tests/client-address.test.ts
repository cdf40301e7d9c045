import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { clientAddress } from '../client-address.ts'

const request = (remoteAddress: string, forwarded?: string) =>
  ({ socket: { remoteAddress }, headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage

const PROXY = '10.0.0.1'
const behindProxy = (forwarded: string) => clientAddress(request(PROXY, forwarded), [PROXY])

describe('the address that limits count', () => {
  it('is the one of the connection, unless a proxy of ours says whose it is', () => {
    expect(clientAddress(request('203.0.113.7'), [])).toBe('203.0.113.7')
    expect(clientAddress(request('::ffff:203.0.113.7'), [])).toBe('203.0.113.7')
    expect(clientAddress(request('203.0.113.7', '198.51.100.1'), [PROXY])).toBe('203.0.113.7')
    expect(behindProxy('192.0.2.66, 198.51.100.1')).toBe('198.51.100.1')
    expect(behindProxy('198.51.100.1, 10.0.0.1')).toBe('198.51.100.1')
  })

  it('is the block of one household where the newer protocol is spoken', () => {
    const block = '2001:db8:1:2'
    for (const address of ['2001:db8:1:2::1', '2001:0db8:0001:0002:ffff:ffff:ffff:ffff', '2001:DB8:1:2:3::'])
      expect([address, clientAddress(request(address), []), behindProxy(address)]).toEqual([address, block, block])
    expect(behindProxy('2001:db8:1:3::1')).not.toBe(block)
  })

  it('tells people of the older protocol apart however a proxy writes them', () => {
    expect([behindProxy('::ffff:198.51.100.1'), behindProxy('::ffff:198.51.100.2')]).toEqual(['198.51.100.1', '198.51.100.2'])
  })
})
