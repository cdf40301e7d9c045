import { isIP } from 'node:net'

type Range = readonly [first: string, bits: number]

/** What the registry of special IPv4 addresses sets apart, and the one public address that clouds serve their machines' secrets from. */
const NOT_PUBLIC_V4: readonly Range[] = [
  ['0.0.0.0', 8], // this network; 0.0.0.0 reaches this computer
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // carrier-grade NAT
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // Azure's platform service
  ['169.254.0.0', 16], // link-local, with the metadata services
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // relays of 6to4
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, with broadcast
]

/** Only this part of IPv6 is public at all: loopback, mapped, NAT64, local and multicast addresses lie outside it. */
const GLOBAL_V6: Range = ['2000::', 3]

/** Within it: what is not routed, and what carries an IPv4 address that a relay would unpack. */
const NOT_PUBLIC_V6: readonly Range[] = [
  ['2001::', 23], // protocol assignments: Teredo, benchmarks, ORCHID
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4
  ['3fff::', 20], // documentation
]

/** Whether an address, in the one spelling that resolvers and the URL parser give, is one that anybody on the internet could reach. */
export function isPublicAddress(address: string): boolean {
  const within = ([first, bits]: Range) => leadingBits(address) >>> (32 - bits) === leadingBits(first) >>> (32 - bits)
  switch (isIP(address)) {
    case 4:
      return !NOT_PUBLIC_V4.some(within)
    case 6:
      // A zone names an interface of this computer.
      return !address.includes('%') && within(GLOBAL_V6) && !NOT_PUBLIC_V6.some(within)
    default:
      return false
  }
}

/** The first 32 bits: all of an IPv4 address, and as much of IPv6 as any range above needs. */
function leadingBits(address: string): number {
  if (isIP(address) === 4) return address.split('.').reduce((bits, part) => bits * 256 + Number(part), 0)
  const [high = 0, low = 0] = groups(address)
  return high * 65_536 + low
}

function groups(address: string): number[] {
  const [head = '', tail = ''] = address.split('::')
  const numbers = (text: string) => (text === '' ? [] : text.split(':').flatMap(groupsOfPart))
  const [before, after] = [numbers(head), numbers(tail)]
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after]
}

/** The end of an IPv6 address may be written as IPv4, which fills two groups. */
const groupsOfPart = (part: string): number[] =>
  part.includes('.') ? [leadingBits(part) >>> 16, leadingBits(part) & 0xffff] : [Number.parseInt(part, 16)]
