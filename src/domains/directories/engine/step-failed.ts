import { AppError, type ErrorReason } from '../../../kernel/errors.ts'
import type { DIRECTORY_CALL_STEPS } from './spec.ts'

export type DirectoryStepName = (typeof DIRECTORY_CALL_STEPS)[number]

/** Ends a directory call at the failed step. The message is shown to users and must not contain a secret or personal data. */
export class DirectoryCallError extends Error {
  readonly step: DirectoryStepName
  readonly status: number | null
  readonly retryAfterSeconds: number | null

  constructor(step: DirectoryStepName, detail: string, more: { status?: number; retryAfterSeconds?: number | null } = {}) {
    super(detail)
    this.name = 'StepFailed'
    this.step = step
    this.status = more.status ?? null
    this.retryAfterSeconds = more.retryAfterSeconds ?? null
  }
}

/** For each reason why a fetch fails: the step that failed, with a clearer explanation where the fetcher's message is too short. */
const FETCH_FAILURES: Partial<Record<ErrorReason, { step: DirectoryStepName; explained?: string }>> = {
  badAddress: { step: 'resolve' },
  notPublic: { step: 'resolve', explained: 'it is not a public address' },
  unresolved: { step: 'resolve', explained: 'the name does not resolve: it is misspelled or does not exist yet' },
  unreachable: { step: 'connect', explained: 'it could not be reached: no connection or no valid certificate' },
  tooSlow: { step: 'connect', explained: 'it took too long to answer' },
}

/** Converts any error to a failed step, including errors raised before a request was sent, such as a missing input. */
export function toDirectoryCallError(error: unknown, host: string): DirectoryCallError {
  if (error instanceof DirectoryCallError) return error
  if (!(error instanceof AppError)) throw error
  const { reason } = error.details
  const { step = 'request', explained } = (reason && FETCH_FAILURES[reason]) ?? {}
  if (explained) return new DirectoryCallError(step, `${host}: ${explained}`)
  return new DirectoryCallError(step, error.message.replace(/^The address /, `${host}: it `))
}
