import { AppError } from '../../../kernel/errors.ts'
import { fetchRefusals } from '../../../kernel/fetcher.ts'
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

/** The fetcher refuses in the same words whatever the network did; the words tell which step it was. */
const STEP_OF_REFUSAL = new Map<string, StepName>([
  ...[fetchRefusals.notWeb, fetchRefusals.httpsOnly, fetchRefusals.credentials, fetchRefusals.port, fetchRefusals.notPublic].map(
    (refusal): [string, StepName] => [refusal().message, 'resolve'],
  ),
  [fetchRefusals.unreachable().message, 'connect'],
  [fetchRefusals.tooSlow().message, 'connect'],
])

const EXPLAINED = new Map<string, string>([
  [fetchRefusals.notPublic().message, 'it is not a public address, or the name does not exist'],
  [fetchRefusals.unreachable().message, 'it could not be reached: no connection, or no valid certificate'],
  [fetchRefusals.tooSlow().message, 'it took too long to answer'],
])

/** Also for what was refused before anything was sent: a missing input, or a value without a safe form. */
export function stepFailedBy(error: unknown, host: string): StepFailed {
  if (error instanceof StepFailed) return error
  if (!(error instanceof AppError)) throw error
  const step = STEP_OF_REFUSAL.get(error.message) ?? 'request'
  const explained = EXPLAINED.get(error.message)
  if (explained) return new StepFailed(step, `${host}: ${explained}`)
  return new StepFailed(step, error.message.replace(/^The address /, `${host}: it `))
}
