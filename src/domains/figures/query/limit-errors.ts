import { AppError } from '../../../kernel/errors.ts'
import type { QueryLimits } from '../../../kernel/ports.ts'

/** PostgreSQL's error codes: the statement reached its timeout, or wrote more temporary files than allowed. */
const QUERY_CANCELED = '57014'
const CONFIGURATION_LIMIT_EXCEEDED = '53400'

/** Explains an error of a statement that reached the limit of its time or of its temporary files. Other errors are returned unchanged. */
export function explainLimitError(error: unknown, { time, files }: { time: string; files: string }): unknown {
  const { code } = error as { code?: string }
  if (code === QUERY_CANCELED) return new AppError('limit_exceeded', time)
  if (code === CONFIGURATION_LIMIT_EXCEEDED) return new AppError('limit_exceeded', files)
  return error
}

/** Explains an error of a statement of a report that reached a limit. */
export function explainReportLimit(error: unknown, { timeoutMs }: QueryLimits): unknown {
  const advice = 'Narrow it with its parameters, such as from and until.'
  return explainLimitError(error, {
    time: `This report took over ${timeoutMs / 1000} s. ${advice}`,
    files: `This report needs more temporary disk space than allowed. ${advice}`,
  })
}
