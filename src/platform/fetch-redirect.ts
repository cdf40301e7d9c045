import type { IncomingMessage } from 'node:http'
import { type FetchOptions, fetchRefusals } from '../kernel/fetcher.ts'

/** One request of a chain. */
export interface Hop {
  url: URL
  method: NonNullable<FetchOptions['method']>
  headers: Readonly<Record<string, string>>
  body: string | Uint8Array | undefined
}

/** What may go along to another origin. Not a list of what may not: a key can stand in a header of any name. */
const HARMLESS = new Set(['accept', 'accept-language', 'user-agent'])

/** The request that a redirect asks for, or null when the answer is none. */
export function redirectOf({ statusCode, headers: { location } }: IncomingMessage, hop: Hop): Hop | null {
  if (location === undefined || ![301, 302, 303, 307, 308].includes(statusCode ?? 0)) return null
  // Sites write it in UTF-8, and browsers read it so, though a header's bytes have no such meaning.
  const url = addressOf(Buffer.from(location, 'latin1').toString(), hop.url)
  if (hop.url.protocol === 'https:' && url.protocol === 'http:') throw fetchRefusals.downgrade()
  const elsewhere = url.origin !== hop.url.origin
  if (becomesGet(statusCode, hop.method)) {
    const about = /^content-/
    return {
      url,
      method: 'GET',
      headers: only(hop.headers, (name) => (elsewhere ? HARMLESS.has(name) : !about.test(name))),
      body: undefined,
    }
  }
  const sends = hop.body !== undefined || (hop.method !== 'GET' && hop.method !== 'HEAD')
  // What was meant for one site is not carried to another because the first one says so.
  if (elsewhere && sends) throw fetchRefusals.movedBody()
  return { ...hop, url, headers: only(hop.headers, (name) => !elsewhere || HARMLESS.has(name)) }
}

/** As browsers do: 303 asks for a page to look at, and so, by long habit, do 301 and 302 after a POST. */
const becomesGet = (status: number | undefined, method: Hop['method']): boolean =>
  status === 303 ? method !== 'HEAD' : (status === 301 || status === 302) && method === 'POST'

const only = (headers: Hop['headers'], keep: (name: string) => boolean) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => keep(name)))

/** Longer than any address a browser or a signed link has. */
const MAX_ADDRESS = 8192

export function addressOf(text: string, base?: URL): URL {
  if (text.length > MAX_ADDRESS || !URL.canParse(text, base?.href)) {
    const refusal = fetchRefusals.notWeb()
    throw base ? fetchRefusals.redirected(refusal) : refusal
  }
  return new URL(text, base?.href)
}
