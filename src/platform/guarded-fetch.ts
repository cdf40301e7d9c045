import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { type IncomingMessage, request, validateHeaderName, validateHeaderValue } from 'node:http'
import { connect, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import { AppError } from '../kernel/errors.ts'
import { FETCH_LIMITS, type FetchResponse, type Fetcher, type FetchOptions, fetchErrorFactories } from '../kernel/fetcher.ts'
import { type FetchDestination, parseFetchDestination, parseAllowedHost, requirePublicAddresses } from './destination.ts'
import { ACCEPT_ENCODING, readResponse, readFirstBytes, requireAcceptedContentType } from './fetch-response.ts'
import { parseUrl, type RedirectHop, findRedirect } from './fetch-redirect.ts'

/** A destination with its IP addresses, all of which were checked. Connections are made only to these addresses. */
export interface CheckedDestination extends FetchDestination {
  addresses: readonly LookupAddress[]
}

export interface FetcherOptions {
  /** Hosts that may have private addresses: `host` on every port, `host:port` on that port only. */
  allowedHosts?: readonly string[]
  /** Resolves host names; tests replace it. */
  resolve?: (host: string) => Promise<readonly LookupAddress[]>
  dial?: (target: CheckedDestination) => Socket
}

const MAX_HEADER_BYTES = 16 * 1024

/** Headers that frame the message or name its host. If callers could set them, request smuggling would be possible. */
const RESERVED_HEADERS =
  /^(host|connection|keep-alive|content-length|transfer-encoding|accept-encoding|te|trailer|upgrade|expect|proxy-.*)$/

/**
 * Creates the fetcher for URLs chosen by users or other servers. A name is resolved once per request or redirect, all its addresses must
 * be public, and the connection uses exactly those addresses, which prevents DNS rebinding. Each request has its own connection without
 * an agent, so neither a proxy from the environment nor a pooled connection is used.
 */
export function createFetcher({ allowedHosts = [], resolve = resolveName, dial = dialChecked }: FetcherOptions = {}): Fetcher {
  const allowed = allowedHosts.map((entry) => {
    const host = parseAllowedHost(entry)
    if (!host) throw new Error(`${entry} is not a host or host:port`)
    return host
  })

  async function resolveTarget(url: URL, options: FetchOptions): Promise<CheckedDestination> {
    const destination = parseFetchDestination(url, options, allowed)
    const family = isIP(destination.host)
    const addresses = family ? [{ address: destination.host, family }] : await resolve(destination.host)
    requirePublicAddresses(destination, addresses)
    return { ...destination, addresses }
  }

  async function sendHop(hop: RedirectHop, options: FetchOptions, signal: AbortSignal): Promise<IncomingMessage> {
    const target = await resolveTarget(hop.url, options)
    // The timeout cannot interrupt name resolution, so it is checked afterwards.
    signal.throwIfAborted()
    return send(target, hop, dial, signal)
  }

  async function follow(hop: RedirectHop, options: FetchOptions, signal: AbortSignal, followed = 0): Promise<FetchResponse> {
    const response = await sendHop(hop, options, signal).catch((error: unknown) => {
      throw followed > 0 && error instanceof AppError ? fetchErrorFactories.redirected(error) : error
    })
    const limit = Math.min(options.redirects ?? FETCH_LIMITS.redirects, FETCH_LIMITS.redirects)
    const next = findRedirect(response, hop)
    if (!next) {
      if (options.firstBytes !== undefined) return readFirstBytes(response, hop.url, options.firstBytes)
      requireAcceptedContentType(response, options.accept)
      return readResponse(response, hop.url, Math.min(options.maxBytes ?? FETCH_LIMITS.maxBytes, FETCH_LIMITS.maxBytes))
    }
    response.destroy()
    if (followed >= limit) throw fetchErrorFactories.redirects(limit)
    return follow(next, options, signal, followed + 1)
  }

  return {
    async check(address, options = {}) {
      const over = Promise.withResolvers<never>()
      const timer = setTimeout(() => over.reject(fetchErrorFactories.tooSlow()), FETCH_LIMITS.timeoutMs)
      try {
        await Promise.race([over.promise, resolveTarget(parseUrl(address), options)])
      } finally {
        clearTimeout(timer)
      }
    },
    async fetch(address, options = {}) {
      const first: RedirectHop = {
        url: parseUrl(address),
        method: options.method ?? 'GET',
        headers: buildHeaders(options),
        body: options.body,
      }
      const time = new AbortController()
      const over = Promise.withResolvers<never>()
      const timer = setTimeout(
        () => {
          over.reject(fetchErrorFactories.tooSlow())
          time.abort()
        },
        Math.min(options.timeoutMs ?? FETCH_LIMITS.timeoutMs, FETCH_LIMITS.maxTimeoutMs),
      )
      try {
        return await Promise.race([over.promise, follow(first, options, time.signal)])
      } catch (error) {
        throw error instanceof AppError ? error : fetchErrorFactories.unreachable()
      } finally {
        clearTimeout(timer)
        // Closes connections that are still open after the response or an error.
        time.abort()
      }
    },
  }
}

function buildHeaders({ headers = {}, accept, firstBytes }: FetchOptions): Record<string, string> {
  const own = Object.entries(headers).map(([name, value]): [string, string] => {
    try {
      validateHeaderName(name)
      validateHeaderValue(name, value)
    } catch {
      throw fetchErrorFactories.headerCharacters()
    }
    if (RESERVED_HEADERS.test(name.toLowerCase())) throw fetchErrorFactories.header(name)
    return [name.toLowerCase(), value]
  })
  // The response is requested uncompressed, because only its first bytes are read, and a partial body cannot be decompressed.
  const plain = firstBytes === undefined ? {} : { 'accept-encoding': 'identity' }
  return { accept: accept?.join(', ') ?? '*/*', 'user-agent': 'Lanyard', ...plain, ...Object.fromEntries(own) }
}

/** Resolves a host name; returns no addresses for an unknown name. */
async function resolveName(host: string): Promise<readonly LookupAddress[]> {
  return lookup(host, { all: true }).catch(({ code }: NodeJS.ErrnoException) => {
    if (code === 'ENOTFOUND' || code === 'ENODATA') return []
    throw fetchErrorFactories.unreachable()
  })
}

/** Connects to the checked addresses in order. The certificate must match the host name. */
function dialChecked({ host, port, secure, addresses }: CheckedDestination): Socket {
  const pinned: LookupFunction = (_name, { all }, found) =>
    all ? found(null, [...addresses]) : found(null, addresses[0]!.address, addresses[0]!.family)
  const where = { host, port, lookup: pinned, autoSelectFamily: true }
  if (!secure) return connect(where)
  return connectSecurely({ ...where, servername: isIP(host) ? '' : host, ALPNProtocols: ['http/1.1'], rejectUnauthorized: true })
}

function send(
  target: CheckedDestination,
  hop: RedirectHop,
  dial: (target: CheckedDestination) => Socket,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  request({
    createConnection: () => dial(target),
    setHost: false,
    method: hop.method,
    path: hop.url.pathname + hop.url.search,
    headers: { host: hostHeader(target), 'accept-encoding': ACCEPT_ENCODING, ...hop.headers },
    maxHeaderSize: MAX_HEADER_BYTES,
    insecureHTTPParser: false,
    signal,
  })
    .on('response', resolve)
    .on('error', reject)
    // Without this listener, the promise would never settle if a server of another protocol closed the connection without a response.
    .on('close', () => reject(new Error('closed without a response')))
    .end(hop.body)
  return promise
}

function hostHeader({ host, port, secure }: CheckedDestination): string {
  const name = isIP(host) === 6 ? `[${host}]` : host
  return port === (secure ? 443 : 80) ? name : `${name}:${port}`
}
