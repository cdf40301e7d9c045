import { randomBytes } from 'node:crypto'
import { AppError } from '../../kernel/errors.ts'
import type { Log } from '../../kernel/ports.ts'

/** What the caller is told of an error. Of one that nobody foresaw only a number is shown; the log has the rest under it. */
export function refusalOf(log: Log, tool: string, error: unknown): AppError {
  if (error instanceof AppError) return error
  const { code, message, stack } = error as { code?: string; message?: string; stack?: string }
  if (code === '57014') return new AppError('unavailable', `${tool} took longer than 20 seconds and was undone; try a smaller part`)
  const reference = newReference()
  log.error('internal error', {
    tool,
    reference,
    error: `${code ? `${code} ` : ''}${message ?? String(error)}`,
    ...(stack ? { stack } : {}),
  })
  if (code && UNREACHABLE.test(code)) {
    return new AppError('unavailable', `The database does not answer just now — reference ${reference}`, { retryAfterSeconds: 5 })
  }
  return new AppError('internal', `Internal error — reference ${reference}`)
}

export const newReference = () => randomBytes(6).toString('hex')

/** Connection refused or lost, server starting or shutting down, too many connections. */
const UNREACHABLE = /^(ECONN|EPIPE|ETIMEDOUT|57P0|08|53300)/
