import { AppError } from '../../kernel/errors.ts'
import { tookTooLong } from '../../kernel/keep-change.ts'
import type { Failure } from '../../kernel/ports.ts'
import { newReference, reportFailure, type Reporter } from '../http/report-failure.ts'

/** What the caller is told of an error. Of one that nobody foresaw only a number is shown; the log has the rest under it. */
export function refusalOf(reporter: Reporter, met: Failure['met'], error: unknown): AppError {
  if (error instanceof AppError) return error
  const { code, message } = error as { code?: string; message?: string }
  if (code === '57014' && 'tool' in met) return tookTooLong(met.tool)
  if (UNREACHABLE.test(code ?? message ?? '')) {
    const reference = newReference()
    reporter.log.error('internal error', { ...met, reference, error: `${code ?? ''} ${message}`.trim() })
    return new AppError('unavailable', `The database does not answer just now — reference ${reference}`, { retryAfterSeconds: 5 })
  }
  return new AppError('internal', `Internal error — reference ${reportFailure(reporter, met, error)}`)
}

/** Connection refused or lost, server starting or shutting down, too many connections; and what the driver says of these by itself, without a code. */
const UNREACHABLE =
  /^(ECONN|EPIPE|ETIMEDOUT|57P0|08|53300|Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/
