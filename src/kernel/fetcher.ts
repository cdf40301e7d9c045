import { AppError } from './errors.ts'

/** The only way to request a URL that a user or another server chose: a logo, a page, a directory, a webhook. */
export interface Fetcher {
  fetch: (url: string, options?: FetchOptions) => Promise<FetchResponse>
  /**
   * Applies the checks that `fetch` makes before connecting, so that a bad URL is reported when it is saved rather than when it is used.
   */
  check: (url: string, options?: Pick<FetchOptions, 'httpsOnly' | 'defaultPortsOnly'>) => Promise<void>
}

export interface FetchOptions {
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /**
   * Request headers. They are sent only to the origin of `url`, because headers may hold credentials. A redirect to another origin gets
   * only harmless headers.
   */
  headers?: Readonly<Record<string, string>>
  body?: string | Uint8Array
  /** Limit for the response body, both as received and as decompressed. */
  maxBytes?: number
  /** Timeout for name resolution, connection, redirects and body together. */
  timeoutMs?: number
  /**
   * Reads at most this many bytes of the body and ignores the rest, for requests of which only the status matters. Without it, a long
   * response is rejected. The partial body is not decompressed.
   */
  firstBytes?: number
  /** The number of redirects to follow. 0 rejects every redirect. */
  redirects?: number
  /** Allows plain http only for hosts on the operator's allow list. */
  httpsOnly?: boolean
  /** Accepted media types (`image/*` works too). A successful response of another type is rejected. */
  accept?: readonly string[]
  /** Requires the scheme's default port, even for hosts on the operator's allow list. */
  defaultPortsOnly?: boolean
}

/** A complete response. A response that is too large or too slow is rejected, never truncated. */
export interface FetchResponse {
  status: number
  /** Response headers by lower-case name, without cookies. */
  headers: Readonly<Record<string, string>>
  /** The decompressed body. */
  body: Buffer
  /** The final URL after redirects. */
  url: string
}

/** Limits of a fetch. Options may lower them but not raise them, except the timeout, which may be raised to `maxTimeoutMs`. */
export const FETCH_LIMITS = { maxBytes: 5 * 1024 * 1024, timeoutMs: 10_000, maxTimeoutMs: 15_000, redirects: 3 } as const

/**
 * All ways in which a fetch fails. The messages hide what happened in the network, so that a caller cannot probe the operator's network.
 * The one exception is an unknown host name, because the user may have mistyped it.
 */
export const fetchErrorFactories = {
  notWeb: () =>
    new AppError('invalid_arguments', 'The address must be a web address that starts with http:// or https://', { reason: 'badAddress' }),
  httpsOnly: () => new AppError('invalid_arguments', 'The address must start with https://', { reason: 'badAddress' }),
  credentials: () => new AppError('invalid_arguments', 'The address must not contain a user name or password', { reason: 'badAddress' }),
  port: () => new AppError('invalid_arguments', 'The address must use the ordinary web ports 80 or 443', { reason: 'badAddress' }),
  notPublic: () => new AppError('invalid_arguments', 'The address is not a public address', { reason: 'notPublic' }),
  unresolved: () => new AppError('unavailable', 'The host name of the address does not exist', { reason: 'unresolved' }),
  headerCharacters: () => new AppError('invalid_arguments', 'A header contains characters that cannot be sent'),
  header: (name: string) => new AppError('invalid_arguments', `The header ${name} cannot be sent`),
  unreachable: () => new AppError('unavailable', 'The address could not be reached', { reason: 'unreachable' }),
  tooSlow: () => new AppError('unavailable', 'The address took too long to respond', { reason: 'tooSlow' }),
  unreadable: () => new AppError('unavailable', 'The address sent a response that cannot be read'),
  otherType: (accept: readonly string[]) => new AppError('invalid_arguments', `The address did not respond with ${accept.join(' or ')}`),
  tooLarge: (maxBytes: number) => new AppError('limit_exceeded', `The response of the address is larger than ${maxBytes} bytes`),
  redirects: (limit: number) =>
    new AppError(
      'unavailable',
      limit === 0 ? 'The address redirects, and redirects are not followed' : `The address redirects more than ${limit} times`,
    ),
  /** Rewords an error for the target of a redirect, which is not the URL that the caller entered. */
  redirected: ({ code, message }: AppError) =>
    new AppError(code, `After a redirect: ${message.charAt(0).toLowerCase()}${message.slice(1)}`),
  downgrade: () => new AppError('unavailable', 'The address redirects from https to http, which is not followed'),
  movedBody: () => new AppError('unavailable', 'The address redirects the request body to another site, which is not followed'),
} as const
