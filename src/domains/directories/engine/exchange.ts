import { type Fetched, type Fetcher, fetchRefusals } from '../../../kernel/fetcher.ts'
import { signRequest } from './auth.ts'
import { retryAfter } from './retry-after.ts'
import type { DirectoryRequest, DirectorySpec, SecretOf } from './spec.ts'
import { StepFailed, stepFailedBy } from './step-failed.ts'
import type { Steps } from './steps.ts'
import { type BuiltRequest, credentialsUsed } from './template.ts'
import { obtainToken, type Token } from './tokens.ts'

/** Everything that one call needs, handed from step to step. */
export interface Call {
  fetcher: Fetcher
  spec: DirectorySpec
  request: DirectoryRequest
  secretOf: SecretOf
  steps: Steps
  /** The one in use, of the kinds that obtain one. */
  token: Token | null
  now: () => number
  /** What is left of the connection's time, which is for the whole call. */
  timeLeft: () => number
  sent: number
}

const MAX_ANSWER_BYTES = 1024 * 1024

export const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : 'the address')

/** A name that does not answer in time must not make the person wait longer than the connection allows. */
export async function resolveHosts({ fetcher, timeLeft }: Call, urls: readonly string[]): Promise<void> {
  for (const url of urls) {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => late.reject(fetchRefusals.tooSlow()), timeLeft())
    try {
      await Promise.race([late.promise, fetcher.check(url, { httpsOnly: true })])
    } catch (error) {
      throw new StepFailed('resolve', stepFailedBy(error, hostOf(url)).message)
    } finally {
      clearTimeout(timer)
    }
  }
}

export async function signIn(call: Call): Promise<void> {
  const { fetcher, spec, secretOf, now } = call
  const onRequest = () => void call.sent++
  call.token = await obtainToken({ fetcher, spec, secretOf, now, onRequest, timeoutMs: timeLeftOf(call) }).catch((error: unknown) => {
    const failed = stepFailedBy(error, hostOf(spec.baseUrl))
    if (failed.step === 'auth') call.steps.pass('connect', 'The token address answered')
    throw failed
  })
  if (!call.token.cached) call.steps.pass('connect', 'The token address answered')
}

/** Sends it, and once more with a new token when the directory has ended one that was kept. */
export async function send(call: Call, request: BuiltRequest): Promise<Fetched> {
  const answer = await sendOnce(call, request)
  if (answer.status !== 401 || !call.token) return answer
  const { cached, drop } = call.token
  drop()
  if (!cached) return answer
  await signIn(call)
  const again = await sendOnce(call, request)
  if (again.status === 401) call.token.drop()
  return again
}

async function sendOnce(call: Call, request: BuiltRequest): Promise<Fetched> {
  const { spec, secretOf, fetcher, steps, token } = call
  const { url, ...rest } = signRequest(request, spec.auth, secretOf, token?.value ?? null)
  // A redirect may lead anywhere, so whatever carries a credential follows none.
  const redirects = spec.auth.kind === 'none' && credentialsUsed(call.request).length === 0 ? {} : { redirects: 0 }
  const timeoutMs = timeLeftOf(call)
  call.sent++
  try {
    const answer = await fetcher.fetch(url, { ...rest, ...redirects, httpsOnly: true, maxBytes: MAX_ANSWER_BYTES, timeoutMs })
    steps.pass('connect', `${hostOf(url)} answered`)
    return answer
  } catch (error) {
    const failed = stepFailedBy(error, hostOf(url))
    if (failed.step === 'request') steps.pass('connect', `${hostOf(url)} answered`)
    throw failed
  }
}

function timeLeftOf({ timeLeft, spec }: Call): number {
  const left = timeLeft()
  if (left <= 0) throw new StepFailed('connect', `${hostOf(spec.baseUrl)}: it took longer than ${spec.timeoutMs} ms to answer`)
  return left
}

/** Anything but success, in words. The directory's own words are not shown: they may repeat what was asked. */
export function refuseStatus({ status, headers }: Fetched, { auth }: DirectorySpec): void {
  if (status >= 200 && status < 300) return
  if (status === 401 || status === 403) throw new StepFailed('auth', refusedAs(status, auth.kind === 'none'), { status })
  if (status === 429) {
    const seconds = retryAfter(headers)
    const hint = seconds === null ? 'try again later' : `try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}`
    throw new StepFailed('request', `429: too many requests; ${hint}`, { status, retryAfterSeconds: seconds })
  }
  throw new StepFailed('request', `${status}: ${WORDS[status] ?? wordsOf(status)}`, { status, retryAfterSeconds: retryAfter(headers) })
}

const refusedAs = (status: 401 | 403, anonymous: boolean): string => {
  if (anonymous) return `${status}: the directory wants credentials, and the connection sends none`
  return status === 401 ? '401: the directory refused the credentials' : '403: the directory does not let these credentials read this'
}

const WORDS: Readonly<Record<number, string>> = {
  400: 'the directory does not understand the request',
  404: 'there is nothing at this path',
  405: 'the directory does not take this method at this path',
  406: 'the directory cannot answer in JSON',
  415: 'the directory does not take this kind of body',
  422: 'the directory does not accept what is in the request',
}

const wordsOf = (status: number): string =>
  status >= 500 ? 'the directory has a problem of its own' : 'the directory did not answer the request'
