import type { z } from 'zod'
import { AppError } from '../../kernel/errors.ts'
import type { FetchOptions, Fetcher } from '../../kernel/fetcher.ts'

/** Timeout of a request. The user waits for it, and gets only the local hotels after this time. */
const TIMEOUT_MS = 8000
const MAX_BYTES = 4_000_000

export interface JsonRequestOptions<T> extends FetchOptions {
  /** The name of the service in error messages. */
  service: string
  url: string
  shape: z.ZodType<T>
}

/** Requests JSON from a service; null for status 404. Every failure is an `AppError` that repeats no text of the service. */
export async function requestJson<T>(fetcher: Fetcher, { service, url, shape, ...options }: JsonRequestOptions<T>): Promise<T | null> {
  const { status, headers, body } = await fetcher
    .fetch(url, { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, redirects: 0, ...options })
    .catch((error: unknown) => {
      throw unavailable(service, error instanceof AppError ? describeFailure(error) : 'could not be reached')
    })
  if (status === 404) return null
  if (status === 429) throw unavailable(service, 'has too many requests at the moment', Number(headers['retry-after']) || undefined)
  if (status === 401 || status === 403) throw unavailable(service, 'refused the credentials of this installation')
  if (status !== 200) throw unavailable(service, `responded with status ${status}`)
  const read = shape.safeParse(parseJson(body.toString('utf8')))
  if (!read.success) throw unavailable(service, 'sent a response that cannot be read')
  return read.data
}

const unavailable = (service: string, what: string, retryAfterSeconds?: number) =>
  new AppError('unavailable', `${service} ${what}`, retryAfterSeconds === undefined ? {} : { retryAfterSeconds })

function describeFailure({ code, details: { reason } }: AppError): string {
  if (reason === 'tooSlow') return 'took too long to respond'
  if (reason === 'notPublic') return 'is not at a public address: list its host in LANYARD_ALLOWED_HOSTS'
  return code === 'limit_exceeded' ? 'sent a response that is too large' : 'could not be reached'
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
