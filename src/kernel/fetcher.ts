import { AppError } from './errors.ts'

/** The one way out to an address that somebody else chose: a logo, a page to read, a directory, a webhook. */
export interface Fetcher {
  fetch: (url: string, options?: FetchOptions) => Promise<Fetched>
  /** Refuses what `fetch` would refuse at once, without connecting: to be told when an address is saved, not when it is used. */
  check: (url: string, options?: Pick<FetchOptions, 'httpsOnly' | 'defaultPortsOnly'>) => Promise<void>
}

export interface FetchOptions {
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Go to the origin of `url` only: they may hold a key, so a redirect to another one takes along none but the harmless. */
  headers?: Readonly<Record<string, string>>
  body?: string | Uint8Array
  /** Of the answer, as sent and as unpacked. */
  maxBytes?: number
  /** For all of it: name, connection, redirects and body. */
  timeoutMs?: number
  /** Of an answer whose status is what counts, so much is read and the rest left unread, instead of refusing a long one. It is not unpacked then. */
  firstBytes?: number
  /** How many are followed; one more is refused, so 0 refuses every redirect. */
  redirects?: number
  /** Plain http then goes to none but hosts that the operator allowed. */
  httpsOnly?: boolean
  /** Media types (`image/*` too) that are asked for; a successful answer of another type is refused. */
  accept?: readonly string[]
  /** Keeps to the scheme's own port even at a host that the operator allowed. */
  defaultPortsOnly?: boolean
}

/** An answer is whole: one that is too large or too slow is refused, never cut. */
export interface Fetched {
  status: number
  /** By lower-case name; cookies are left out. */
  headers: Readonly<Record<string, string>>
  /** Unpacked. */
  body: Buffer
  /** Where it came from, after redirects. */
  url: string
}

/** Options may lower these and never raise them; the time may be made as long as `longestMs`. */
export const FETCH_LIMITS = { maxBytes: 5 * 1024 * 1024, timeoutMs: 10_000, longestMs: 15_000, redirects: 3 } as const

/**
 * Every way to fail. They are the same whatever the network did, so that an outsider learns nothing of the operator's network but which
 * names it knows: whoever mistyped one must be told so.
 */
export const fetchRefusals = {
  notWeb: () =>
    new AppError('invalid_arguments', 'The address must be a web address that starts with http:// or https://', { reason: 'badAddress' }),
  httpsOnly: () => new AppError('invalid_arguments', 'The address must start with https://', { reason: 'badAddress' }),
  credentials: () => new AppError('invalid_arguments', 'The address must not hold a user name or a password', { reason: 'badAddress' }),
  port: () => new AppError('invalid_arguments', 'The address must use the ordinary web ports 80 or 443', { reason: 'badAddress' }),
  notPublic: () => new AppError('invalid_arguments', 'The address is not a public address', { reason: 'notPublic' }),
  unresolved: () => new AppError('unavailable', 'The address has a name that does not resolve', { reason: 'unresolved' }),
  headerCharacters: () => new AppError('invalid_arguments', 'A header has characters that cannot be sent'),
  header: (name: string) => new AppError('invalid_arguments', `The header ${name} cannot be sent`),
  unreachable: () => new AppError('unavailable', 'The address could not be reached', { reason: 'unreachable' }),
  tooSlow: () => new AppError('unavailable', 'The address took too long to answer', { reason: 'tooSlow' }),
  unreadable: () => new AppError('unavailable', 'The address gave an answer that cannot be read'),
  otherType: (accept: readonly string[]) => new AppError('invalid_arguments', `The address did not answer with ${accept.join(' or ')}`),
  tooLarge: (maxBytes: number) => new AppError('limit_exceeded', `The answer of the address is larger than ${maxBytes} bytes`),
  redirects: (limit: number) =>
    new AppError(
      'unavailable',
      limit === 0 ? 'The address redirects, which is not followed' : `The address redirects more than ${limit} times`,
    ),
  /** The same refusal, said of an address that the caller did not write. */
  redirected: ({ code, message }: AppError) =>
    new AppError(code, `After a redirect: ${message.charAt(0).toLowerCase()}${message.slice(1)}`),
  downgrade: () => new AppError('unavailable', 'The address redirects from https to http, which is not followed'),
  movedBody: () => new AppError('unavailable', 'The address redirects what is sent to another site, which is not followed'),
} as const
