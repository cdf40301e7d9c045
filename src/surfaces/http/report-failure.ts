import { randomBytes } from 'node:crypto'
import type { UnexpectedFailure, FailureLog, Log } from '../../kernel/ports.ts'
import { ClientDisconnectedError } from './read-body.ts'

export interface FailureReportTargets {
  log: Log
  /** Stores failures for the operators. Omitted in commands that serve no requests; then errors are only logged. */
  failures?: FailureLog | undefined
}

/**
 * Records an unexpected error and returns its reference, which is all that the caller sees. A disconnected client is not an error; the
 * request's log line shows it.
 */
export function reportFailure({ log, failures }: FailureReportTargets, met: UnexpectedFailure['met'], error: unknown): string {
  const reference = generateErrorReference()
  if (error instanceof ClientDisconnectedError) return reference
  const { code, message, stack } = error as { code?: string; message?: string; stack?: string }
  log.error('internal error', {
    ...met,
    reference,
    error: `${code ? `${code} ` : ''}${message ?? String(error)}`,
    ...(stack ? { stack } : {}),
  })
  failures?.note({ met, reference, error })
  return reference
}

export const generateErrorReference = () => randomBytes(6).toString('hex')
