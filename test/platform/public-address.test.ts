import { describe, expect, it } from 'vitest'
import { isPublicAddress } from '../../src/platform/public-address.ts'

describe('public addresses', () => {
  it('treats the address right after each reserved IP range as public', () => {
    const open = [
      '1.0.0.0',
      '9.255.255.255',
      '11.0.0.0',
      '100.63.255.255',
      '100.128.0.0',
      '126.255.255.255',
      '128.0.0.0',
      '168.63.129.15',
      '168.63.129.17',
    ]
    const more = [
      '169.253.255.255',
      '169.255.0.0',
      '172.15.255.255',
      '172.32.0.0',
      '191.255.255.255',
      '192.0.1.0',
      '192.0.3.0',
      '192.167.255.255',
      '192.169.0.0',
    ]
    const last = [
      '198.17.255.255',
      '198.20.0.0',
      '198.51.99.255',
      '198.51.101.0',
      '203.0.112.255',
      '203.0.114.0',
      '223.255.255.255',
      '8.8.8.8',
    ]
    const six = [
      '2000::',
      '2001:200::',
      '2001:db7:ffff::',
      '2001:db9::',
      '2003::1',
      '2606:4700::1111',
      '2a00:1450:4001:810::200e',
      '3ffe:ffff::',
      '3fff:1000::',
    ]
    expect([...open, ...more, ...last, ...six].filter((address) => !isPublicAddress(address))).toEqual([])
  })

  it('does not treat an invalid IP address as public', () => {
    expect(
      ['', 'localhost', '8.8.8', '08.8.8.8', '0x8.8.8.8', '8.8.8.8:80', ' 8.8.8.8', '2606:4700::1111%eth0', '[2606::1]'].filter(
        isPublicAddress,
      ),
    ).toEqual([])
  })
})
