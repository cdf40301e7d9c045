export type ErrorCode =
  | 'invalid_arguments'
  | 'not_found'
  | 'forbidden'
  | 'ambiguous'
  | 'conflict'
  | 'precondition_failed'
  | 'limit_exceeded'
  | 'unavailable'
  | 'internal'

export interface FieldError {
  path: string
  message: string
  allowed?: readonly string[]
}

/** The call that mends it; where only the person can, what to ask them; where it takes more than one call, what to do. `here`: at the event or client of the refused call, whose codes the road adds. */
export type Fix = { tool: string; arguments: Record<string, unknown>; here?: true } | { ask: string } | { say: string }

/** Which refusal it is, for a page or a caller that answers it in words of its own; messages are for people and may change. */
export type Reason = 'movedOn' | 'unconfirmed' | 'badAddress' | 'notPublic' | 'unresolved' | 'unreachable' | 'tooSlow'

export interface ErrorDetails {
  reason?: Reason
  /** Of a change that a page asks about once more, having done and undone it. */
  confirmToken?: string
  fields?: readonly FieldError[]
  fix?: Fix
  retryAfterSeconds?: number
  /** The records an ambiguous name could mean. */
  candidates?: readonly Record<string, unknown>[]
}

/** The only error that domains throw. Its message is shown to the caller, so it holds no secret and no text from outside. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetails

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message)
    this.name = 'AppError'
    this.code = code
    this.details = details
  }
}

export const notFound = (message: string, details?: ErrorDetails) => new AppError('not_found', message, details)
export const conflict = (message: string, details?: ErrorDetails) => new AppError('conflict', message, details)
export const preconditionFailed = (message: string, details?: ErrorDetails) => new AppError('precondition_failed', message, details)

/** One or more arguments are wrong: the message names them all, so that one repair is enough. */
export function invalidArguments(fields: readonly FieldError[], details: ErrorDetails = {}): AppError {
  const sentence = fields.map((f) => (f.path ? `${f.path}: ${f.message}` : f.message)).join('; ')
  return new AppError('invalid_arguments', sentence, { ...details, fields })
}

/** Something that this transaction was decided by has changed meanwhile: it is undone and done again from the start, like one that the database itself refuses. */
export class MetAnother extends Error {
  readonly code = '40001'
}
