const MAX_LENGTH = 2000
/**
 * Loopback redirect URIs, compared as text. Other spellings that a URL parser would normalize to a loopback URI are rejected as suspicious.
 */
const LOOPBACK_PATTERN = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(?::(\d{1,5}))?([/?].*)?$/
const SCHEME = /^([a-z][a-z0-9+.-]*):/
const AUTHORITY = /^[a-z][a-z0-9+.-]*:\/\/([^/?]+)/

/** Returns why a redirect URI is not allowed, or null. The same rule applies to registered apps and to client metadata documents. */
export function findRedirectUriProblem(uri: unknown, appSchemes: readonly string[]): string | null {
  if (typeof uri !== 'string' || uri.length > MAX_LENGTH) return `must be text of at most ${MAX_LENGTH} characters`
  // Node.js and browsers parse a URI of these characters alike, and it needs no escaping in a Location header.
  if (!/^[\x21-\x7e]+$/.test(uri) || uri.includes('\\')) return 'must contain only printable ASCII without blanks and backslashes'
  if (uri.includes('#')) return 'must not have a fragment'
  if (AUTHORITY.exec(uri)?.[1]?.includes('@')) return 'must not contain a user name'
  const scheme = SCHEME.exec(uri)?.[1]
  if (scheme === 'https') return /^https:\/\/[^/?]/.test(uri) && URL.canParse(uri) ? null : 'is not a valid URL'
  if (scheme === 'http')
    return parseLoopback(uri) ? null : 'must use https, unless it is http://localhost, http://127.0.0.1 or http://[::1]'
  if (scheme === undefined || !appSchemes.includes(scheme)) return 'must use https, localhost, or a scheme that this server allows'
  return /^[^:]+:\/{1,2}[^/]/.test(uri) && URL.canParse(uri) ? null : 'is not a valid URL'
}

/** Whether a redirect URI equals a registered one. The port may differ only for loopback URIs. */
export function matchesRedirectUri(registered: readonly string[], presented: string): boolean {
  if (registered.includes(presented)) return true
  const asked = parseLoopback(presented)
  return asked !== null && registered.some((uri) => isSameLoopback(parseLoopback(uri), asked))
}

interface Loopback {
  host: string
  port: string
  rest: string
}

const isSameLoopback = (known: Loopback | null, asked: Loopback) => known?.host === asked.host && known.rest === asked.rest

function parseLoopback(uri: string): Loopback | null {
  const [, host, port = '', rest = ''] = LOOPBACK_PATTERN.exec(uri) ?? []
  if (!host || (port !== '' && (Number(port) < 1 || Number(port) > 65_535))) return null
  return { host, port, rest }
}

export type DisplayedRedirectTarget = { kind: 'website' | 'computer' | 'app'; shown: string }

/** Describes the redirect target on the consent page. Host names stay in ASCII (punycode), so that lookalike characters cannot deceive. */
export function describeRedirectTarget(uri: string): DisplayedRedirectTarget {
  const loopback = parseLoopback(uri)
  if (loopback) return { kind: 'computer', shown: `this computer (${loopback.host}${loopback.port && `:${loopback.port}`})` }
  const { protocol, host } = new URL(uri)
  return protocol === 'https:' ? { kind: 'website', shown: host } : { kind: 'app', shown: `${protocol}//${host}` }
}
