import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { type IncomingMessage, request, validateHeaderName, validateHeaderValue } from 'node:http'
import { connect, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import { AppError } from '../kernel/errors.ts'
import { FETCH_LIMITS, type Fetched, type Fetcher, type FetchOptions, fetchRefusals } from '../kernel/fetcher.ts'
import { type Destination, destinationOf, parseAllowedHost, refusePrivate } from './destination.ts'
import { ACCEPT_ENCODING, readAnswer, readBeginning, refuseOtherType } from './fetch-answer.ts'
import { addressOf, type Hop, redirectOf } from './fetch-redirect.ts'

/** A destination with the addresses that were checked: nothing but these may be dialled for it. */
export interface Target extends Destination {
  addresses: readonly LookupAddress[]
}

export interface FetcherOptions {
  /** Hosts that may be private: `host` on every port, `host:port` on that one. */
  allowedHosts?: readonly string[]
  /** Tests answer for names, and stand in for the internet. */
  resolve?: (host: string) => Promise<readonly LookupAddress[]>
  dial?: (target: Target) => Socket
}

const MAX_HEADER_BYTES = 16 * 1024

/** What frames the message or names its host is ours: with these in a caller's hand one request could be read as two. */
const OURS = /^(host|connection|keep-alive|content-length|transfer-encoding|accept-encoding|te|trailer|upgrade|expect|proxy-.*)$/

/**
 * Fetches addresses that somebody else chose. A name is resolved once per hop, every address it has must be public, and the connection
 * goes to those very addresses, so that a second answer of the name server is never asked for. Each request has a connection of its
 * own, made here: no agent, so neither a proxy from the environment nor a connection made for another host comes in between.
 */
export function createFetcher({ allowedHosts = [], resolve = resolveName, dial = dialChecked }: FetcherOptions = {}): Fetcher {
  const allowed = allowedHosts.map((entry) => {
    const host = parseAllowedHost(entry)
    if (!host) throw new Error(`${entry} is not a host or host:port`)
    return host
  })

  async function targetOf(url: URL, options: FetchOptions): Promise<Target> {
    const destination = destinationOf(url, options, allowed)
    const family = isIP(destination.host)
    const addresses = family ? [{ address: destination.host, family }] : await resolve(destination.host)
    refusePrivate(destination, addresses)
    return { ...destination, addresses }
  }

  async function ask(hop: Hop, options: FetchOptions, signal: AbortSignal): Promise<IncomingMessage> {
    const target = await targetOf(hop.url, options)
    // The name may have answered after the time was up, when nobody waits any more.
    signal.throwIfAborted()
    return send(target, hop, dial, signal)
  }

  async function follow(hop: Hop, options: FetchOptions, signal: AbortSignal, followed = 0): Promise<Fetched> {
    const response = await ask(hop, options, signal).catch((error: unknown) => {
      throw followed > 0 && error instanceof AppError ? fetchRefusals.redirected(error) : error
    })
    const limit = Math.min(options.redirects ?? FETCH_LIMITS.redirects, FETCH_LIMITS.redirects)
    const next = redirectOf(response, hop)
    if (!next) {
      if (options.firstBytes !== undefined) return readBeginning(response, hop.url, options.firstBytes)
      refuseOtherType(response, options.accept)
      return readAnswer(response, hop.url, Math.min(options.maxBytes ?? FETCH_LIMITS.maxBytes, FETCH_LIMITS.maxBytes))
    }
    response.destroy()
    if (followed >= limit) throw fetchRefusals.redirects(limit)
    return follow(next, options, signal, followed + 1)
  }

  return {
    async check(address, options = {}) {
      const over = Promise.withResolvers<never>()
      const timer = setTimeout(() => over.reject(fetchRefusals.tooSlow()), FETCH_LIMITS.timeoutMs)
      try {
        await Promise.race([over.promise, targetOf(addressOf(address), options)])
      } finally {
        clearTimeout(timer)
      }
    },
    async fetch(address, options = {}) {
      const first: Hop = {
        url: addressOf(address),
        method: options.method ?? 'GET',
        headers: headersOf(options),
        body: options.body,
      }
      const time = new AbortController()
      const over = Promise.withResolvers<never>()
      const timer = setTimeout(
        () => {
          over.reject(fetchRefusals.tooSlow())
          time.abort()
        },
        Math.min(options.timeoutMs ?? FETCH_LIMITS.timeoutMs, FETCH_LIMITS.longestMs),
      )
      try {
        return await Promise.race([over.promise, follow(first, options, time.signal)])
      } catch (error) {
        throw error instanceof AppError ? error : fetchRefusals.unreachable()
      } finally {
        clearTimeout(timer)
        // Closes whatever a refusal left open.
        time.abort()
      }
    },
  }
}

function headersOf({ headers = {}, accept, firstBytes }: FetchOptions): Record<string, string> {
  const own = Object.entries(headers).map(([name, value]): [string, string] => {
    try {
      validateHeaderName(name)
      validateHeaderValue(name, value)
    } catch {
      throw fetchRefusals.headerCharacters()
    }
    if (OURS.test(name.toLowerCase())) throw fetchRefusals.header(name)
    return [name.toLowerCase(), value]
  })
  // A beginning cannot be unpacked.
  const plain = firstBytes === undefined ? {} : { 'accept-encoding': 'identity' }
  return { accept: accept?.join(', ') ?? '*/*', 'user-agent': 'Lanyard', ...plain, ...Object.fromEntries(own) }
}

/** No address for a name that does not exist. */
async function resolveName(host: string): Promise<readonly LookupAddress[]> {
  return lookup(host, { all: true }).catch(({ code }: NodeJS.ErrnoException) => {
    if (code === 'ENOTFOUND' || code === 'ENODATA') return []
    throw fetchRefusals.unreachable()
  })
}

/** Dials the checked addresses in their order; the name stays what the certificate must be for. */
function dialChecked({ host, port, secure, addresses }: Target): Socket {
  const pinned: LookupFunction = (_name, { all }, found) =>
    all ? found(null, [...addresses]) : found(null, addresses[0]!.address, addresses[0]!.family)
  const where = { host, port, lookup: pinned, autoSelectFamily: true }
  if (!secure) return connect(where)
  return connectSecurely({ ...where, servername: isIP(host) ? '' : host, ALPNProtocols: ['http/1.1'], rejectUnauthorized: true })
}

function send(target: Target, hop: Hop, dial: (target: Target) => Socket, signal: AbortSignal): Promise<IncomingMessage> {
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
    // A server that answers with another protocol is hung up on without a word.
    .on('close', () => reject(new Error('closed without an answer')))
    .end(hop.body)
  return promise
}

function hostHeader({ host, port, secure }: Target): string {
  const name = isIP(host) === 6 ? `[${host}]` : host
  return port === (secure ? 443 : 80) ? name : `${name}:${port}`
}
