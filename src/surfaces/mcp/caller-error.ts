import { AppError } from '../../kernel/errors.ts'
import { createTimeLimitError } from '../../kernel/commit-change.ts'
import type { UnexpectedFailure } from '../../kernel/ports.ts'
import { generateErrorReference, reportFailure, type FailureReportTargets } from '../http/report-failure.ts'

/** The error message if every attempt of a change ended in a database deadlock. The fixed order of row locks should prevent that. */
export const DEADLOCK_MESSAGE = 'Other changes waited for the same records in another order. Nothing was saved; repeat the call'

/** The error that the caller sees. An unexpected error shows only its reference; the log has the details. */
export function toCallerError(reporter: FailureReportTargets, met: UnexpectedFailure['met'], error: unknown): AppError {
  if (error instanceof AppError) return error
  const { code, message } = error as { code?: string; message?: string }
  if (code === '57014' && 'tool' in met) return createTimeLimitError(met.tool)
  if (code === '53400')
    return new AppError('limit_exceeded', 'This needs more temporary disk space than one call may use. Ask for less at once')
  if (code === '40P01') return new AppError('conflict', DEADLOCK_MESSAGE, { retryAfterSeconds: 1 })
  if (code === '40001')
    return new AppError('conflict', 'Other changes of the same records came first. Nothing was saved; repeat the call', {
      retryAfterSeconds: 1,
    })
  if (UNREACHABLE.test(code ?? message ?? '')) {
    const reference = generateErrorReference()
    reporter.log.error('internal error', { ...met, reference, error: `${code ?? ''} ${message}`.trim() })
    return new AppError('unavailable', `The database is not available at the moment — reference ${reference}`, { retryAfterSeconds: 5 })
  }
  return new AppError('internal', `Internal error — reference ${reportFailure(reporter, met, error)}`)
}

/**
 * Database errors that mean "unreachable": connection refused or lost, server starting or shutting down, too many connections, and driver
 * errors without a code.
 */
const UNREACHABLE =
  /^(ECONN|EPIPE|ETIMEDOUT|57P0|08|53300|Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/
