import type { AppError, ErrorCode } from '../../kernel/errors.ts'
import type { HttpProblem } from '../http/problem.ts'

/** An error that is sent to the client as a problem response (RFC 9457). */
export class ProblemError extends Error {
  readonly problem: HttpProblem
  readonly headers: Readonly<Record<string, string>>

  constructor(problem: HttpProblem, headers: Readonly<Record<string, string>> = {}) {
    super(problem.detail)
    this.name = 'Refused'
    this.problem = problem
    this.headers = headers
  }
}

type ParameterFaults = NonNullable<HttpProblem['errors']>

/** The error for invalid parameters, which lists all of them together. */
export const createBadRequestError = (errors: ParameterFaults): ProblemError =>
  new ProblemError({
    status: 400,
    code: 'invalid_request',
    detail: errors.map(({ parameter, message }) => `${parameter}: ${message}`).join('; '),
    errors,
  })

/**
 * The error for a record that is not found. Its message is identical for a missing record, a record of another account, and excluded test
 * data, so that it reveals nothing.
 */
export const createRecordNotFoundError = (name: string, id: string): ProblemError =>
  new ProblemError({ status: 404, code: 'not_found', detail: `No ${name} ${id.slice(0, 40)} that this account can read.` })

export const createMethodNotAllowedError = (method: string, allowed: readonly string[]): ProblemError =>
  new ProblemError(
    { status: 405, code: 'method_not_allowed', detail: `${method} is not allowed at this address; use ${allowed.join(', ')}.` },
    { allow: allowed.join(', ') },
  )

const STATUSES: Record<ErrorCode, HttpProblem['status']> = {
  invalid_arguments: 400,
  ambiguous: 400,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  precondition_failed: 409,
  limit_exceeded: 429,
  unavailable: 503,
  internal: 500,
}

/** Converts an AppError of a domain to a problem response. */
export function toHttpProblem({ code, message, details }: AppError): HttpProblem {
  const errors = details.fields?.map(({ path, message: fault }) => ({ parameter: path, message: fault }))
  return {
    status: STATUSES[code],
    code: code === 'invalid_arguments' ? 'invalid_request' : code === 'limit_exceeded' ? 'too_many_requests' : code,
    detail: message,
    ...(errors ? { errors } : {}),
    ...(details.retryAfterSeconds === undefined ? {} : { retryAfter: details.retryAfterSeconds }),
  }
}
