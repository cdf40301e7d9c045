const MAX_LENGTH = 2000
/** Spelled out and compared as text: what a parser would turn into one of these was written to deceive. */
const LOOPBACK = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(?::(\d{1,5}))?([/?].*)?$/
const SCHEME = /^([a-z][a-z0-9+.-]*):/
const AUTHORITY = /^[a-z][a-z0-9+.-]*:\/\/([^/?]+)/

/** Why an app may not be sent back there, or null. The rule is the same for all ways in which an app makes itself known. */
export function problemOfRedirectUri(uri: unknown, appSchemes: readonly string[]): string | null {
  if (typeof uri !== 'string' || uri.length > MAX_LENGTH) return `must be text of at most ${MAX_LENGTH} characters`
  // Without these a parser and a browser cannot disagree, and nothing has to be escaped in a Location header.
  if (!/^[\x21-\x7e]+$/.test(uri) || uri.includes('\\')) return 'must hold printable ASCII without blanks and backslashes'
  if (uri.includes('#')) return 'must not have a fragment'
  if (AUTHORITY.exec(uri)?.[1]?.includes('@')) return 'must not hold a user name'
  const scheme = SCHEME.exec(uri)?.[1]
  if (scheme === 'https') return /^https:\/\/[^/?]/.test(uri) && URL.canParse(uri) ? null : 'is not an address'
  if (scheme === 'http') return loopbackOf(uri) ? null : 'must use https, unless it is http://localhost, http://127.0.0.1 or http://[::1]'
  if (scheme === undefined || !appSchemes.includes(scheme)) return 'must use https, this computer, or a scheme that this server allows'
  return /^[^:]+:\/{1,2}[^/]/.test(uri) && URL.canParse(uri) ? null : 'is not an address'
}

/** Equal to the letter; only a program on the person's own computer may choose its port anew each time. */
export function matchesRedirectUri(registered: readonly string[], presented: string): boolean {
  if (registered.includes(presented)) return true
  const asked = loopbackOf(presented)
  return asked !== null && registered.some((uri) => isSamePlace(loopbackOf(uri), asked))
}

interface Loopback {
  host: string
  port: string
  rest: string
}

const isSamePlace = (known: Loopback | null, asked: Loopback) => known?.host === asked.host && known.rest === asked.rest

function loopbackOf(uri: string): Loopback | null {
  const [, host, port = '', rest = ''] = LOOPBACK.exec(uri) ?? []
  if (!host || (port !== '' && (Number(port) < 1 || Number(port) > 65_535))) return null
  return { host, port, rest }
}

export type ReturnPlace = { kind: 'website' | 'computer' | 'app'; shown: string }

/** Where the person will be sent, in words they can judge. Names stay in ASCII, so that no letter passes for another. */
export function returnPlaceOf(uri: string): ReturnPlace {
  const loopback = loopbackOf(uri)
  if (loopback) return { kind: 'computer', shown: `this computer (${loopback.host}${loopback.port && `:${loopback.port}`})` }
  const { protocol, host } = new URL(uri)
  return protocol === 'https:' ? { kind: 'website', shown: host } : { kind: 'app', shown: `${protocol}//${host}` }
}
