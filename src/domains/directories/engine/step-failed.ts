import { AppError, type Reason } from '../../../kernel/errors.ts'
import type { STEPS } from './spec.ts'

export type StepName = (typeof STEPS)[number]

/** Ends one call to a directory at the step that failed. Its message is shown, so it holds no secret and no value of a person. */
export class StepFailed extends Error {
  readonly step: StepName
  readonly status: number | null
  readonly retryAfterSeconds: number | null

  constructor(step: StepName, detail: string, more: { status?: number; retryAfterSeconds?: number | null } = {}) {
    super(detail)
    this.name = 'StepFailed'
    this.step = step
    this.status = more.status ?? null
    this.retryAfterSeconds = more.retryAfterSeconds ?? null
  }
}

/** Which step a refusal of the fetcher ends, and what it means here where its own sentence says too little. */
const REFUSALS: Partial<Record<Reason, { step: StepName; explained?: string }>> = {
  badAddress: { step: 'resolve' },
  notPublic: { step: 'resolve', explained: 'it is not a public address' },
  unresolved: { step: 'resolve', explained: 'the name does not resolve: it is mistyped, or not there yet' },
  unreachable: { step: 'connect', explained: 'it could not be reached: no connection, or no valid certificate' },
  tooSlow: { step: 'connect', explained: 'it took too long to answer' },
}

/** Also for what was refused before anything was sent: a missing input, or a value without a safe form. */
export function stepFailedBy(error: unknown, host: string): StepFailed {
  if (error instanceof StepFailed) return error
  if (!(error instanceof AppError)) throw error
  const { reason } = error.details
  const { step = 'request', explained } = (reason && REFUSALS[reason]) ?? {}
  if (explained) return new StepFailed(step, `${host}: ${explained}`)
  return new StepFailed(step, error.message.replace(/^The address /, `${host}: it `))
}
