import type { Fetcher } from '../../../kernel/fetcher.ts'
import { usesOauth, listMissingCredentials } from './auth.ts'
import { type DirectoryCall, hostOf, resolveHostNames, obtainAccessTokenForCall } from './exchange.ts'
import { readResultPages } from './pages.ts'
import { resolveConnectionSettings } from './presets.ts'
import type { DirectoryLookupResult, DirectoryLookupInputs, DirectoryConnectionSpec, GetSecret } from './spec.ts'
import { DirectoryCallError, toDirectoryCallError } from './step-failed.ts'
import { startDirectoryStepLog } from './steps.ts'
import { buildRequest, findInvalidInputReason } from './template.ts'
import { resolveTokenUrl } from './tokens.ts'

export { deleteCachedTokens } from './tokens.ts'

export interface QueryOptions {
  which?: 'lookup' | 'search' | 'probe'
  /** Returns the current time in milliseconds since the epoch, for token expiry. */
  now?: () => number
}

/**
 * Looks up one person. Failures of the directory are not thrown: they return outcome `error` with the reason in the last step. An input
 * that cannot be sent returns `notFound` with a failed step, so that a connection test does not pass with it.
 */
export async function queryDirectory(
  fetcher: Fetcher,
  spec: DirectoryConnectionSpec,
  secretOf: GetSecret,
  inputs: DirectoryLookupInputs,
  { which = 'lookup', now = Date.now }: QueryOptions = {},
): Promise<DirectoryLookupResult> {
  const steps = startDirectoryStepLog()
  const end = performance.now() + spec.timeoutMs
  const request = spec.requests[which]
  const call = { fetcher, spec, secretOf, steps, now, token: null, sent: 0, timeLeft: () => Math.ceil(end - performance.now()) }
  if (!request) {
    steps.fail('request', `The connection has no ${which} request`)
    return { outcome: 'error', httpStatus: null, record: null, steps: steps.list, requests: 0 }
  }
  return runLookup({ ...call, request }, inputs, which === 'probe')
}

async function runLookup(call: DirectoryCall, inputs: DirectoryLookupInputs, isProbe: boolean): Promise<DirectoryLookupResult> {
  const { spec, request, secretOf, steps } = call
  try {
    const missing = listMissingCredentials(spec, request, secretOf)
    if (missing.length > 0) throw new DirectoryCallError('auth', `Not set: ${missing.map((name) => `the credential ${name}`).join(', ')}`)
    const values = { baseUrl: spec.baseUrl, settings: resolveConnectionSettings(spec), inputs, secretOf }
    const unsendable = findInvalidInputReason(request, values)
    if (unsendable !== null) {
      steps.fail('request', unsendable)
      return { outcome: 'notFound', httpStatus: null, record: null, steps: steps.list, requests: 0 }
    }
    const build = (offset: string) => buildRequest(request, { ...values, offset })
    await resolveHostNames(call, usesOauth(spec.auth) ? [build('0').url, resolveTokenUrl(spec)] : [build('0').url])
    steps.pass('resolve', `${hostOf(spec.baseUrl)} may be called`)
    if (usesOauth(spec.auth)) await obtainAccessTokenForCall(call)
    const { status, records, more } = await readResultPages(call, build)
    const outcome = records.length === 0 ? 'notFound' : records.length > 1 && request.pick === 'only' && !isProbe ? 'many' : 'found'
    steps.pass('parse', `${OUTCOME_LABELS[outcome]}${more ? '; further pages were not read' : ''}`)
    const record = outcome === 'found' && !isProbe ? records[0] : null
    return { outcome, httpStatus: status, record, steps: steps.list, requests: call.sent }
  } catch (error) {
    const failed = toDirectoryCallError(error, hostOf(spec.baseUrl))
    steps.fail(failed.step, failed.message)
    const { status, retryAfterSeconds } = failed
    const wait = retryAfterSeconds === null ? {} : { retryAfterSeconds }
    return { outcome: 'error', httpStatus: status, record: null, steps: steps.list, requests: call.sent, ...wait }
  }
}

const OUTCOME_LABELS = { found: 'One record', notFound: 'No record', many: 'Several records' } as const
