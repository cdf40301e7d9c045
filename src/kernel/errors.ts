import type { MessageKey } from './language/translator.ts'

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
  /** The text that web pages show for the invalid field. API responses do not contain it. */
  reason?: FieldErrorReason
}

export type FieldErrorReasonKey = Extract<MessageKey, `error.${string}`>

/** Why a field is refused: the key of a text in the language catalogues and the values of its placeholders. */
export interface FieldErrorReason {
  key: FieldErrorReasonKey
  values?: Readonly<Record<string, string | number>>
  /** True if pages show this text for an empty field too. Otherwise pages ask the user to fill in an empty field. */
  always?: true
}

/**
 * How to fix the error: a tool call, a question to ask the user, or an instruction if several calls are needed. With `here`, the call
 * pipeline adds the event or client codes of the failed call.
 */
export type ErrorFix = { tool: string; arguments: Record<string, unknown>; here?: true } | { ask: string } | { say: string }

/** A stable identifier of the error, for pages and callers that show their own text. Messages are for people and may change. */
export type ErrorReason =
  | 'movedOn'
  | 'unconfirmed'
  | 'badAddress'
  | 'notPublic'
  | 'unresolved'
  | 'unreachable'
  | 'tooSlow'
  | 'alreadyRecorded'
  | 'overpaid'
  | 'aboveCredit'

export interface ErrorDetails {
  reason?: ErrorReason
  /** The text that pages show for an error that concerns no single field. */
  pageReason?: FieldErrorReason
  /** The token that confirms a change. It is issued when a page executes the change, rolls it back and asks for confirmation. */
  confirmToken?: string
  fields?: readonly FieldError[]
  fix?: ErrorFix
  retryAfterSeconds?: number
  /** The records that an ambiguous name in the arguments may refer to. */
  candidates?: readonly Record<string, unknown>[]
}

/** The only error that domain functions throw. Its message is shown to the caller, so it contains no secrets and no untrusted text. */
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

/** One or more arguments are invalid. The message lists them all, so that the caller can fix them in one attempt. */
export function invalidArguments(fields: readonly FieldError[], details: ErrorDetails = {}): AppError {
  const sentence = fields.map((f) => (f.path ? `${f.path}: ${f.message}` : f.message)).join('; ')
  return new AppError('invalid_arguments', sentence, { ...details, fields })
}

/**
 * Data that this transaction depends on has changed in the meantime. It is rolled back and retried from the start, like a serialization
 * failure (40001) of the database.
 */
export class SerializationConflict extends Error {
  readonly code = '40001'
}
