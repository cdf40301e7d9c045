import { AppError } from '../../kernel/errors.ts'
import { newReference, reportFailure, type Reporter } from '../http/report-failure.ts'

/** What the caller is told of an error. Of one that nobody foresaw only a number is shown; the log has the rest under it. */
export function refusalOf(reporter: Reporter, tool: string, error: unknown): AppError {
  if (error instanceof AppError) return error
  const { code } = error as { code?: string }
  if (code === '57014') return new AppError('unavailable', `${tool} took longer than 20 seconds and was undone; try a smaller part`)
  if (code && UNREACHABLE.test(code)) {
    const reference = newReference()
    reporter.log.error('internal error', { tool, reference, error: `${code} ${(error as Error).message}` })
    return new AppError('unavailable', `The database does not answer just now — reference ${reference}`, { retryAfterSeconds: 5 })
  }
  return new AppError('internal', `Internal error — reference ${reportFailure(reporter, { tool }, error)}`)
}

/** Connection refused or lost, server starting or shutting down, too many connections. */
const UNREACHABLE = /^(ECONN|EPIPE|ETIMEDOUT|57P0|08|53300)/
