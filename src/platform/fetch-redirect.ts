import type { IncomingMessage } from 'node:http'
import { type FetchOptions, fetchErrorFactories } from '../kernel/fetcher.ts'

/** One request of a redirect chain. */
export interface RedirectHop {
  url: URL
  method: NonNullable<FetchOptions['method']>
  headers: Readonly<Record<string, string>>
  body: string | Uint8Array | undefined
}

/** Headers that may be sent to another origin. An allow list, because credentials may be in a header of any name. */
const CROSS_ORIGIN_HEADERS = new Set(['accept', 'accept-language', 'user-agent'])

/** The request that a redirect response leads to, or null if the response is not a redirect. */
export function findRedirect({ statusCode, headers: { location } }: IncomingMessage, hop: RedirectHop): RedirectHop | null {
  if (location === undefined || ![301, 302, 303, 307, 308].includes(statusCode ?? 0)) return null
  // Sites send the Location header in UTF-8 and browsers decode it so, although Node decodes headers as latin1.
  const url = parseUrl(Buffer.from(location, 'latin1').toString(), hop.url)
  if (hop.url.protocol === 'https:' && url.protocol === 'http:') throw fetchErrorFactories.downgrade()
  const elsewhere = url.origin !== hop.url.origin
  if (becomesGet(statusCode, hop.method)) {
    const about = /^content-/
    return {
      url,
      method: 'GET',
      headers: filterHeaders(hop.headers, (name) => (elsewhere ? CROSS_ORIGIN_HEADERS.has(name) : !about.test(name))),
      body: undefined,
    }
  }
  const sends = hop.body !== undefined || (hop.method !== 'GET' && hop.method !== 'HEAD')
  // Refuses to forward a request body to another site.
  if (elsewhere && sends) throw fetchErrorFactories.movedBody()
  return { ...hop, url, headers: filterHeaders(hop.headers, (name) => !elsewhere || CROSS_ORIGIN_HEADERS.has(name)) }
}

/** Whether a redirect changes the method to GET, as in browsers: after 303, and after 301 and 302 of a POST. */
const becomesGet = (status: number | undefined, method: RedirectHop['method']): boolean =>
  status === 303 ? method !== 'HEAD' : (status === 301 || status === 302) && method === 'POST'

const filterHeaders = (headers: RedirectHop['headers'], keep: (name: string) => boolean) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => keep(name)))

/** Maximum length of a redirect URL, longer than any URL that browsers or signed links use. */
const MAX_URL_LENGTH = 8192

export function parseUrl(text: string, base?: URL): URL {
  if (text.length > MAX_URL_LENGTH || !URL.canParse(text, base?.href)) {
    const refusal = fetchErrorFactories.notWeb()
    throw base ? fetchErrorFactories.redirected(refusal) : refusal
  }
  return new URL(text, base?.href)
}
