import { isIP } from 'node:net'

type Range = readonly [first: string, bits: number]

/** IANA's special-purpose IPv4 addresses, and the one public address from which Azure serves secrets to its machines. */
const NOT_PUBLIC_V4: readonly Range[] = [
  ['0.0.0.0', 8], // this network; 0.0.0.0 connects to this computer
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // carrier-grade NAT
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // Azure's platform service
  ['169.254.0.0', 16], // link-local, including cloud metadata services
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, including broadcast
]

/** The public range of IPv6. Loopback, IPv4-mapped, NAT64, local and multicast addresses are outside this range. */
const GLOBAL_V6: Range = ['2000::', 3]

/** Ranges within `GLOBAL_V6` that are not public: they are not routed, or embed an IPv4 address. */
const NOT_PUBLIC_V6: readonly Range[] = [
  ['2001::', 23], // protocol assignments: Teredo, benchmarks, ORCHID
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4
  ['3fff::', 20], // documentation
]

/** Whether the address, in the canonical spelling of resolvers and the URL parser, is reachable on the public internet. */
export function isPublicAddress(address: string): boolean {
  const within = ([first, bits]: Range) => leadingBits(address) >>> (32 - bits) === leadingBits(first) >>> (32 - bits)
  switch (isIP(address)) {
    case 4:
      return !NOT_PUBLIC_V4.some(within)
    case 6:
      // An IPv6 address with a zone id (`%`) belongs to a network interface of this computer.
      return !address.includes('%') && within(GLOBAL_V6) && !NOT_PUBLIC_V6.some(within)
    default:
      return false
  }
}

/** Returns the first 32 bits of an address: a complete IPv4 address, and enough of IPv6 for all ranges of this file. */
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

/** Parses the groups of an IPv6 address, the last two of which may be written as IPv4. */
const groupsOfPart = (part: string): number[] =>
  part.includes('.') ? [leadingBits(part) >>> 16, leadingBits(part) & 0xffff] : [Number.parseInt(part, 16)]
