import type { AppError, ErrorCode } from '../../kernel/errors.ts'
import type { Problem } from '../http/problem.ts'

/** A request that is answered with a problem. */
export class Refused extends Error {
  readonly problem: Problem
  readonly headers: Readonly<Record<string, string>>

  constructor(problem: Problem, headers: Readonly<Record<string, string>> = {}) {
    super(problem.detail)
    this.name = 'Refused'
    this.problem = problem
    this.headers = headers
  }
}

type ParameterFaults = NonNullable<Problem['errors']>

/** All that is wrong with a request at once. */
export const badRequest = (errors: ParameterFaults): Refused =>
  new Refused({
    status: 400,
    code: 'invalid_request',
    detail: errors.map(({ parameter, message }) => `${parameter}: ${message}`).join('; '),
    errors,
  })

/** The same words whether it never was, is somebody else's, or is test data that was not asked for. */
export const noRecord = (name: string, id: string): Refused =>
  new Refused({ status: 404, code: 'not_found', detail: `No ${name} ${id.slice(0, 40)} that this account can read.` })

export const methodNotAllowed = (method: string, allowed: readonly string[]): Refused =>
  new Refused(
    { status: 405, code: 'method_not_allowed', detail: `${method} is not for this address: it takes ${allowed.join(', ')}.` },
    { allow: allowed.join(', ') },
  )

const STATUSES: Record<ErrorCode, Problem['status']> = {
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

/** What a rule of a domain refused, to a program. */
export function problemOf({ code, message, details }: AppError): Problem {
  const errors = details.fields?.map(({ path, message: fault }) => ({ parameter: path, message: fault }))
  return {
    status: STATUSES[code],
    code: code === 'invalid_arguments' ? 'invalid_request' : code === 'limit_exceeded' ? 'too_many_requests' : code,
    detail: message,
    ...(errors ? { errors } : {}),
    ...(details.retryAfterSeconds === undefined ? {} : { retryAfter: details.retryAfterSeconds }),
  }
}
