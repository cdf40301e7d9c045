import { type FetchResponse, type Fetcher, fetchErrorFactories } from '../../../kernel/fetcher.ts'
import { addRequestCredentials } from './auth.ts'
import { readRetryAfterHeader } from './retry-after.ts'
import type { DirectoryRequest, DirectoryConnectionSpec, GetSecret } from './spec.ts'
import { DirectoryCallError, toDirectoryCallError } from './step-failed.ts'
import type { DirectoryStepLog } from './steps.ts'
import { type DirectoryHttpRequest, listUsedCredentials } from './template.ts'
import { obtainToken, type DirectoryAccessToken } from './tokens.ts'

/** State that all steps of one call to a directory share. */
export interface DirectoryCall {
  fetcher: Fetcher
  spec: DirectoryConnectionSpec
  request: DirectoryRequest
  secretOf: GetSecret
  steps: DirectoryStepLog
  /** The OAuth access token in use; null if the connection does not authenticate with OAuth, or has no token yet. */
  token: DirectoryAccessToken | null
  now: () => number
  /** Remaining milliseconds of the timeout, which covers the whole call. */
  timeLeft: () => number
  sent: number
}

const MAX_ANSWER_BYTES = 1024 * 1024

export const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : 'the address')

/** Resolves the host names of a directory call. DNS resolution counts towards the timeout of the connection. */
export async function resolveHostNames({ fetcher, timeLeft }: DirectoryCall, urls: readonly string[]): Promise<void> {
  for (const url of urls) {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => late.reject(fetchErrorFactories.tooSlow()), timeLeft())
    try {
      await Promise.race([late.promise, fetcher.check(url, { httpsOnly: true })])
    } catch (error) {
      throw new DirectoryCallError('resolve', toDirectoryCallError(error, hostOf(url)).message)
    } finally {
      clearTimeout(timer)
    }
  }
}

export async function obtainAccessTokenForCall(call: DirectoryCall): Promise<void> {
  const { fetcher, spec, secretOf, now } = call
  const onRequest = () => void call.sent++
  call.token = await obtainToken({ fetcher, spec, secretOf, now, onRequest, timeoutMs: requireTimeLeft(call) }).catch((error: unknown) => {
    const failed = toDirectoryCallError(error, hostOf(spec.baseUrl))
    if (failed.step === 'auth') call.steps.pass('connect', 'The token address answered')
    throw failed
  })
  if (!call.token.cached) call.steps.pass('connect', 'The token address answered')
}

/** Sends the request. If the directory rejects a cached access token, repeats the request once with a new token. */
export async function sendDirectoryRequest(call: DirectoryCall, request: DirectoryHttpRequest): Promise<FetchResponse> {
  const answer = await sendOnce(call, request)
  if (answer.status !== 401 || !call.token) return answer
  const { cached, drop } = call.token
  drop()
  if (!cached) return answer
  await obtainAccessTokenForCall(call)
  const again = await sendOnce(call, request)
  if (again.status === 401) call.token.drop()
  return again
}

async function sendOnce(call: DirectoryCall, request: DirectoryHttpRequest): Promise<FetchResponse> {
  const { spec, secretOf, fetcher, steps, token } = call
  const { url, ...rest } = addRequestCredentials(request, spec.auth, secretOf, token?.value ?? null)
  // A redirect may lead to any host, so it is not followed by requests that contain credentials.
  const redirects = spec.auth.kind === 'none' && listUsedCredentials(call.request).length === 0 ? {} : { redirects: 0 }
  const timeoutMs = requireTimeLeft(call)
  call.sent++
  try {
    const answer = await fetcher.fetch(url, { ...rest, ...redirects, httpsOnly: true, maxBytes: MAX_ANSWER_BYTES, timeoutMs })
    steps.pass('connect', `${hostOf(url)} answered`)
    return answer
  } catch (error) {
    const failed = toDirectoryCallError(error, hostOf(url))
    if (failed.step === 'request') steps.pass('connect', `${hostOf(url)} answered`)
    throw failed
  }
}

function requireTimeLeft({ timeLeft, spec }: DirectoryCall): number {
  const left = timeLeft()
  if (left <= 0) throw new DirectoryCallError('connect', `${hostOf(spec.baseUrl)}: no answer within ${spec.timeoutMs} ms`)
  return left
}

/** Throws for any HTTP status except success. The directory's own error text is not shown, because it may repeat the inputs. */
export function requireSuccessStatus({ status, headers }: FetchResponse, { auth }: DirectoryConnectionSpec): void {
  if (status >= 200 && status < 300) return
  if (status === 401 || status === 403) throw new DirectoryCallError('auth', describeAuthFailure(status, auth.kind === 'none'), { status })
  if (status === 429) {
    const seconds = readRetryAfterHeader(headers)
    const hint = seconds === null ? 'try again later' : `try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}`
    throw new DirectoryCallError('request', `429: too many requests; ${hint}`, { status, retryAfterSeconds: seconds })
  }
  throw new DirectoryCallError('request', `${status}: ${STATUS_DESCRIPTIONS[status] ?? describeStatus(status)}`, {
    status,
    retryAfterSeconds: readRetryAfterHeader(headers),
  })
}

const describeAuthFailure = (status: 401 | 403, anonymous: boolean): string => {
  if (anonymous) return `${status}: the directory requires credentials, but the connection sends none`
  return status === 401 ? '401: the directory refused the credentials' : '403: these credentials may not read this'
}

const STATUS_DESCRIPTIONS: Readonly<Record<number, string>> = {
  400: 'the directory does not understand the request',
  404: 'there is nothing at this path',
  405: 'the directory does not allow this method at this path',
  406: 'the directory cannot answer in JSON',
  415: 'the directory does not accept this kind of body',
  422: 'the directory rejected the content of the request',
}

const describeStatus = (status: number): string =>
  status >= 500 ? 'the directory has an internal error' : 'the directory rejected the request'
