import { randomBytes } from 'node:crypto'
import type { Failure, Failures, Log } from '../../kernel/ports.ts'
import { ClientGone } from './read-body.ts'

export interface Reporter {
  log: Log
  /** Left out where nothing is served: then the log is all. */
  failures?: Failures | undefined
}

/**
 * Writes down an error that nobody foresaw, and returns the number under which it is found. That number is all that its cause is told.
 * That somebody went away is no error: the request's own line says so.
 */
export function reportFailure({ log, failures }: Reporter, met: Failure['met'], error: unknown): string {
  const reference = newReference()
  if (error instanceof ClientGone) return reference
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

export const newReference = () => randomBytes(6).toString('hex')
