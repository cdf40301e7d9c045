import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import { type FetchOptions, fetchErrorFactories } from '../kernel/fetcher.ts'
import { isPublicAddress } from './public-address.ts'

/** A host on the operator's allow list, which may have a private address. */
export interface AllowedHost {
  host: string
  /** The allowed port; null allows every port. */
  port: number | null
}

/** The destination of one request, as far as the URL determines it. */
export interface FetchDestination {
  /** Host name or IP address, without brackets and trailing dots. */
  host: string
  port: number
  secure: boolean
  allowed: boolean
}

/**
 * Pattern of an entry in the operator's allow list: host names, IPv4 and IPv6 addresses only. A wildcard, range, scheme or path would be
 * taken for a host name that never matches.
 */
const ALLOWED_ENTRY = /^(\[[\da-f:.]+\]|[\p{L}\p{N}._-]+)(?::(\d{1,5}))?$/iu

/** Parses `host` or `host:port`; null if it is neither. */
export function parseAllowedHost(entry: string): AllowedHost | null {
  const [, name = '', port] = ALLOWED_ENTRY.exec(isIP(entry) === 6 ? `[${entry}]` : entry) ?? []
  if (!URL.canParse(`http://${name}/`) || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) return null
  return { host: bareHost(new URL(`http://${name}/`)), port: port === undefined ? null : Number(port) }
}

/**
 * Returns the host of a URL. The URL parser has already normalized every spelling of an IP address (octal, hexadecimal, short,
 * full-width, escaped).
 */
const bareHost = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '')

/** Parses a URL to fetch, and applies all checks that are possible before its host name is resolved. */
export function parseFetchDestination(
  url: URL,
  { httpsOnly, defaultPortsOnly }: FetchOptions,
  allowedHosts: readonly AllowedHost[],
): FetchDestination {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw fetchErrorFactories.notWeb()
  if (url.username !== '' || url.password !== '') throw fetchErrorFactories.credentials()
  const secure = url.protocol === 'https:'
  const host = bareHost(url)
  // A host name that consists of dots only is empty here, because `bareHost` removes trailing dots.
  if (host === '') throw fetchErrorFactories.notWeb()
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port)
  const allowed = allowedHosts.some((entry) => entry.host === host && (entry.port ?? port) === port)
  if (httpsOnly && !secure && !allowed) throw fetchErrorFactories.httpsOnly()
  if (defaultPortsOnly ? url.port !== '' : !allowed && port !== 80 && port !== 443) throw fetchErrorFactories.port()
  return { host, port, secure, allowed }
}

/** Rejects the host if any of its addresses is private, because it is unknown which one would be used. */
export function requirePublicAddresses({ allowed }: FetchDestination, addresses: readonly LookupAddress[]): void {
  if (addresses.length === 0) throw fetchErrorFactories.unresolved()
  if (!allowed && !addresses.every(({ address }) => isPublicAddress(address))) throw fetchErrorFactories.notPublic()
}
