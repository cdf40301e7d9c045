import type { Fetcher } from '../../../kernel/fetcher.ts'
import { isOauth, missingCredentials } from './auth.ts'
import { type Call, hostOf, resolveHosts, signIn } from './exchange.ts'
import { readPages } from './pages.ts'
import { settingsOf } from './presets.ts'
import type { DirectoryAnswer, DirectoryInputs, DirectorySpec, SecretOf } from './spec.ts'
import { StepFailed, stepFailedBy } from './step-failed.ts'
import { startSteps } from './steps.ts'
import { buildRequest, unsendableBy } from './template.ts'
import { tokenUrlOf } from './tokens.ts'

export { forgetTokens } from './tokens.ts'

export interface AskOptions {
  which?: 'lookup' | 'search' | 'probe'
  /** Milliseconds, by which tokens grow old. */
  now?: () => number
}

/**
 * Asks the directory about one person. What the directory does is never thrown: a failure is an answer whose last step says why. An input
 * that cannot be sent is nobody's; its answer has a failed step too, so that no test passes by it.
 */
export async function askDirectory(
  fetcher: Fetcher,
  spec: DirectorySpec,
  secretOf: SecretOf,
  inputs: DirectoryInputs,
  { which = 'lookup', now = Date.now }: AskOptions = {},
): Promise<DirectoryAnswer> {
  const steps = startSteps()
  const end = performance.now() + spec.timeoutMs
  const request = spec.requests[which]
  const call = { fetcher, spec, secretOf, steps, now, token: null, sent: 0, timeLeft: () => Math.ceil(end - performance.now()) }
  if (!request) {
    steps.fail('request', `The connection has no ${which} request`)
    return { outcome: 'error', httpStatus: null, record: null, steps: steps.list, requests: 0 }
  }
  return ask({ ...call, request }, inputs, which === 'probe')
}

async function ask(call: Call, inputs: DirectoryInputs, isProbe: boolean): Promise<DirectoryAnswer> {
  const { spec, request, secretOf, steps } = call
  try {
    const missing = missingCredentials(spec, request, secretOf)
    if (missing.length > 0) throw new StepFailed('auth', `Not set: ${missing.map((name) => `the credential ${name}`).join(', ')}`)
    const values = { baseUrl: spec.baseUrl, settings: settingsOf(spec), inputs, secretOf }
    const unsendable = unsendableBy(request, values)
    if (unsendable !== null) {
      steps.fail('request', unsendable)
      return { outcome: 'notFound', httpStatus: null, record: null, steps: steps.list, requests: 0 }
    }
    const build = (offset: string) => buildRequest(request, { ...values, offset })
    await resolveHosts(call, isOauth(spec.auth) ? [build('0').url, tokenUrlOf(spec)] : [build('0').url])
    steps.pass('resolve', `${hostOf(spec.baseUrl)} may be called`)
    if (isOauth(spec.auth)) await signIn(call)
    const { status, records, more } = await readPages(call, build)
    const outcome = records.length === 0 ? 'notFound' : records.length > 1 && request.pick === 'only' && !isProbe ? 'many' : 'found'
    steps.pass('parse', `${WORDS[outcome]}${more ? '; further pages were not read' : ''}`)
    const record = outcome === 'found' && !isProbe ? records[0] : null
    return { outcome, httpStatus: status, record, steps: steps.list, requests: call.sent }
  } catch (error) {
    const failed = stepFailedBy(error, hostOf(spec.baseUrl))
    steps.fail(failed.step, failed.message)
    const { status, retryAfterSeconds } = failed
    const wait = retryAfterSeconds === null ? {} : { retryAfterSeconds }
    return { outcome: 'error', httpStatus: status, record: null, steps: steps.list, requests: call.sent, ...wait }
  }
}

const WORDS = { found: 'One record', notFound: 'No record', many: 'Several records' } as const
