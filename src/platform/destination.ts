import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import { type FetchOptions, fetchRefusals } from '../kernel/fetcher.ts'
import { isPublicAddress } from './public-address.ts'

/** A host that the operator lets be private. */
export interface AllowedHost {
  host: string
  /** Null for every port. */
  port: number | null
}

/** Where one request goes, as far as the address itself says it. */
export interface Destination {
  /** Without brackets and closing dots. */
  host: string
  port: number
  secure: boolean
  allowed: boolean
}

/** Names, IPv4 and IPv6 only: no wildcard, range, scheme or path may slip in as a strange name that then matches nothing. */
const ALLOWED_ENTRY = /^(\[[\da-f:.]+\]|[\p{L}\p{N}._-]+)(?::(\d{1,5}))?$/iu

/** Reads `host` or `host:port`; null when it is neither. */
export function parseAllowedHost(entry: string): AllowedHost | null {
  const [, name = '', port] = ALLOWED_ENTRY.exec(isIP(entry) === 6 ? `[${entry}]` : entry) ?? []
  if (!URL.canParse(`http://${name}/`) || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) return null
  return { host: bareHost(new URL(`http://${name}/`)), port: port === undefined ? null : Number(port) }
}

/** The URL parser has already turned every disguise of a number (octal, hexadecimal, short, full-width, escaped) into the plain one. */
const bareHost = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '')

/** Everything that can be refused before a name is looked up. */
export function destinationOf(url: URL, { httpsOnly, defaultPortsOnly }: FetchOptions, allowedHosts: readonly AllowedHost[]): Destination {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw fetchRefusals.notWeb()
  if (url.username !== '' || url.password !== '') throw fetchRefusals.credentials()
  const secure = url.protocol === 'https:'
  const host = bareHost(url)
  // Nothing but dots.
  if (host === '') throw fetchRefusals.notWeb()
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port)
  const allowed = allowedHosts.some((entry) => entry.host === host && (entry.port ?? port) === port)
  if (httpsOnly && !secure && !allowed) throw fetchRefusals.httpsOnly()
  if (defaultPortsOnly ? url.port !== '' : !allowed && port !== 80 && port !== 443) throw fetchRefusals.port()
  return { host, port, secure, allowed }
}

/** One private address among public ones refuses them all: which of them is dialled must not be a matter of luck. */
export function refusePrivate({ allowed }: Destination, addresses: readonly LookupAddress[]): void {
  if (addresses.length === 0) throw fetchRefusals.unresolved()
  if (!allowed && !addresses.every(({ address }) => isPublicAddress(address))) throw fetchRefusals.notPublic()
}
